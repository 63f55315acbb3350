# SPDX-License-Identifier: Apache-2.0
"""The site that scripts/docs builds: the causes that fail its build, and each page in a headless Chromium. Exits 77, with the reason,
if the tools are missing.

docs_test.py PROGRAM
"""
import ast
import functools
import http.server
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import threading
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
VENV = ROOT / "build/docs-venv"
SITE = ROOT / "build/docs/site"
CHROMIUM = shutil.which("chromium") or shutil.which("google-chrome")
sys.path.insert(0, str(ROOT / "tests/page"))
from browser import Browser


def why_not():
    if not (VENV / "made").exists():
        return "there is no build/docs-venv; scripts/bootstrap --tests makes it"
    return "" if CHROMIUM else "there is no Chromium; Debian's package chromium has it"


class Build(unittest.TestCase):
    """A build of two pages, with the real configuration."""

    def build(self, page, **others):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        root = pathlib.Path(folder.name)
        shutil.copytree(ROOT / "docs/site", root / "docs/site")
        shutil.copy(ROOT / "mkdocs.yml", root)
        for name, text in {"README": "# Home\n\n## Part\n", "docs/README": "# Pages\n\n## Start\n\n- [a.md](a.md)\n", "docs/a": f"# A\n\n{page}\n", **others}.items():
            (root / f"{name}.md").write_text(text)
        environment = {**os.environ, "FEEDRATE_REPORT": "", "NO_MKDOCS_2_WARNING": "1"}
        done = subprocess.run([VENV / "bin/mkdocs", "build"], cwd=root, env=environment, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        a = root / "build/docs/site/a.html"
        return done.returncode, done.stdout, a.read_text() if a.exists() else ""

    def test_links_lead_to_pages_and_out_of_the_site_and_the_report_may_be_left_out(self):
        code, output, page = self.build("[1](../README.md#part) [2](README.md) [3](../docs/a.md) [4](../mkdocs.yml)\n\n<!-- the report -->")
        self.assertEqual((code, "WARNING" in output), (0, False), output)
        for target in ("index.html#part", "pages.html", "a.html", "https://github.com/feedrate/feedrate/blob/main/mkdocs.yml"):
            self.assertIn(f'href="{target}"', page)
        self.assertIn("<code>scripts/docs PROGRAM</code>", page)

    def test_what_is_dead_or_not_listed_or_shown_by_github_alone_fails_it(self):
        plants = {
            "[1](b.md)": "contains a link 'b.md', but the target is not found",
            "[2](../README.md#nowhere)": "the doc 'index.md' does not contain an anchor '#nowhere'",
            "[3](#nowhere)": "there is no such anchor on this page",
            "[4](../plan/nowhere.h)": "a.md: no file plan/nowhere.h",
            "- list\n  - nested": "a.md: only GitHub takes it for a list:   - nested",
        }
        code, output, _ = self.build("\n\n".join(plants), **{"docs/c": "# C\n"})
        for why in (*plants.values(), 'not included in the "nav" configuration:\n  - c.md'):
            self.assertIn(why, output)
        self.assertEqual(output.count("WARNING"), 1 + len(plants), output)
        self.assertIn(f"Aborted with {1 + len(plants)} warnings in strict mode", output)
        self.assertEqual(code, 1)


class Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *_):
        pass


class Pages(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        subprocess.run([ROOT / "scripts/docs", sys.argv[1]], check=True, stdout=subprocess.DEVNULL)
        server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Quiet, directory=SITE))
        threading.Thread(target=server.serve_forever, daemon=True).start()
        cls.addClassCleanup(server.server_close)
        cls.addClassCleanup(server.shutdown)
        cls.address = f"http://127.0.0.1:{server.server_port}/"
        cls.browser = Browser(CHROMIUM)
        cls.addClassCleanup(cls.browser.close)

    def open(self, page, width=1280):
        self.browser.resize(width, 900, mobile=width < 500)
        self.prefer("light")
        self.browser.events = []
        self.browser.send("Page.navigate", url=self.address + page)
        self.browser.wait_for("Page.loadEventFired")

    def prefer(self, scheme):
        self.browser.send("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])

    def wait(self, condition):
        """Waits for a condition, because a busy browser is slow."""
        met = self.browser.ask("new Promise(done => { const look = (left) => { const met = " + condition + ";"
                               " met || left === 0 ? done(!!met) : setTimeout(look, 10, left - 1); }; look(1000); })")
        self.assertTrue(met, condition)

    def test_each_page_fits_a_phone_and_asks_no_other_host(self):
        # One ADR represents them all.
        pages = sorted(page for page in (str(page.relative_to(SITE)) for page in SITE.rglob("*.html")) if not page.startswith("adr/0") or "0001-" in page)
        self.assertGreater(len(pages), 35)
        self.open("404.html", width=390)
        for page in pages:
            with self.subTest(page):
                self.browser.events = []
                # An iframe that is not painted takes half of the time.
                width = self.browser.ask("new Promise(done => { const frame = document.createElement('iframe'); frame.style = 'border: 0; width: 390px; position: fixed; left: -9999px';"
                                         " frame.onload = () => done(frame.contentDocument.documentElement.scrollWidth);"
                                         f" frame.src = '/{page}'; document.body.replaceChildren(frame); }})")
                self.assertEqual(width, 390)
                self.assertEqual([url for url in self.browser.requests() if not url.startswith((self.address, "data:", "blob:"))], [])
                self.assertEqual(self.browser.complaints(), [])

    def test_axe_finds_nothing_serious_in_light_and_dark(self):
        axe = next(VENV.glob("lib/*/site-packages/axe_core_python/axe.min.js")).read_text()
        # Checks that links differ from text by more than color, which this axe tests only experimentally. Reports have their own tests.
        light = "{iframes: false, resultTypes: ['violations'], rules: {'link-in-text-block': {enabled: true}}}"
        for page in ("index", "run", "knobs", "example-report", "reference/python"):
            self.open(f"{page}.html")
            self.browser.ask(f"{axe}; 0")
            for scheme, body, options in (("light", "default", light), ("dark", "slate", "{iframes: false, runOnly: ['color-contrast']}")):
                with self.subTest(page, scheme=scheme):
                    self.prefer(scheme)
                    self.wait(f"document.body.dataset.mdColorScheme === '{body}' && document.getAnimations().length === 0")
                    found = self.browser.ask(f"axe.run({options}).then(found => found.violations.filter(({{impact}}) => ['serious', 'critical'].includes(impact))"
                                             ".flatMap(({id, nodes}) => nodes.map(({html, failureSummary}) => [id, html, failureSummary])))")
                    self.assertEqual(found, [])

    def test_the_report_is_live(self):
        self.open("example-report.html")
        self.wait("document.querySelector('iframe').contentDocument.querySelector('#bars .mark')")

    def test_search_finds_a_word_of_the_glossary(self):
        self.open("index.html")
        self.browser.ask("(() => { const box = document.querySelector('.md-search__input'); box.focus(); box.value = 'headspace';"
                         " box.dispatchEvent(new Event('input', {bubbles: true})); box.dispatchEvent(new KeyboardEvent('keyup', {bubbles: true})); })()")
        self.wait("document.querySelector('.md-search-result__link[href*=\"glossary.html\"]')")

    def test_the_python_page_has_every_public_name(self):
        tree = ast.parse((ROOT / "python/feedrate/__init__.py").read_text())
        names = next(ast.literal_eval(node.value) for node in tree.body if isinstance(node, ast.Assign) and node.targets[0].id == "__all__")
        page = (SITE / "reference/python.html").read_text()
        self.assertEqual([name for name in names if f'id="feedrate.{name}"' not in page], [])


if __name__ == "__main__":
    reason = why_not()
    if reason:
        print(f"skipped: {reason}")
        sys.exit(77)
    unittest.main(argv=sys.argv[:1], verbosity=2)
