# SPDX-License-Identifier: Apache-2.0
"""Makes a site of pages that are written to be read on GitHub: no page is copied, and docs/README.md is the navigation.

A warning here fails the build, as those of MkDocs do.
"""
import logging
import os
import posixpath
import re
import urllib.parse
from pathlib import Path

from markdown import Extension
from markdown.treeprocessors import Treeprocessor
from mkdocs.structure.files import File

ROOT = Path(__file__).resolve().parents[2]
REPORT = os.environ.get("FEEDRATE_REPORT")  # A page of `feedrate report`, by scripts/docs.
# Lists that GitHub alone would show: nested ones want 4 spaces, others an empty line before them.
NO_LIST = re.compile(r"^ {1,3}(?:[-*+]|\d+\.) .*|^(?![ #]|[-*+] |\d+\. ).+\n(?:[-*+]|1\.) .*", re.M)
log = logging.getLogger("mkdocs.hooks.feedrate")


def on_config(config):
    links = Links(config.extra["social"][0]["link"])
    config.markdown_extensions.append(links)
    config.extra["links"] = links
    config.nav = [{"Home": "index.md"}, *groups((ROOT / "docs/README.md").read_text(), links)]
    return config


def groups(listing, links):
    """A group for each heading, of the pages that are linked below it."""
    for group in re.split(r"^## ", listing, flags=re.M)[1:]:
        title, text = group.split("\n", 1)
        pages = ["README.md"] if title == "Start" else []
        for name, target in re.findall(r"\[([^]]+)\]\(([^)#]+\.md)\)", text):
            outside = target.startswith("../")
            pages.append({name: links.outside(posixpath.normpath("docs/" + target))} if outside else target)
            if target.endswith("/README.md") and not outside:
                folder = posixpath.dirname(target)
                pages += [f"{folder}/{page}" for page in re.findall(r"\]\(([^)#/]+\.md)\)", (ROOT / "docs" / target).read_text())]
        yield {title: pages}


def on_files(files, config):
    files.get_file_from_path("README.md").dest_uri = "pages.html"
    files.append(File.generated(config, "index.md", abs_src_path=str(ROOT / "README.md")))
    if REPORT:
        files.append(File.generated(config, "example.html", abs_src_path=str(Path(REPORT).resolve())))
    return files


def on_page_markdown(markdown, page, config, files):
    config.extra["links"].page = page.file.src_uri
    if page.is_homepage or "<!-- the report -->" in markdown:
        page.meta["hide"] = ["navigation", "toc"]  # Its output, or the report, needs the width of the window.
    for found in NO_LIST.findall(re.sub(r"^```.*?^```", "", markdown, flags=re.M | re.S)):
        log.warning(f"{page.file.src_uri}: only GitHub takes it for a list: {found}")
    shown = ('<p><a href="example.html">In a window of its own</a></p>\n<iframe class="report" src="example.html" title="A report"></iframe>'
             if REPORT else "**This site was built without the program**, so the report is left out. `scripts/docs PROGRAM` puts it here.")
    return markdown.replace("<!-- the report -->", shown)


def on_post_page(output, page, config):
    return output.replace('role="dialog"', 'role="dialog" aria-label="Search"', 1)  # Material leaves it without a name.


class Links(Extension):
    """Links of pages into the rest of the repository lead to its address."""

    def __init__(self, repository):
        super().__init__()
        self.repository = repository
        self.page = ""  # The one that is rendered.

    def extendMarkdown(self, md):
        treeprocessor = Treeprocessor(md)
        treeprocessor.run = self.run
        md.treeprocessors.register(treeprocessor, "repository_links", 1)  # After links are found, before MkDocs checks them.

    def run(self, tree):
        for link in tree.iter("a"):
            link.set("href", self.moved(link.get("href", "")))

    def moved(self, target):
        url = urllib.parse.urlsplit(target)
        if url.scheme or url.netloc or not url.path:
            return target
        page = "README.md" if self.page == "index.md" else f"docs/{self.page}"
        path = posixpath.normpath(posixpath.join(posixpath.dirname(page), url.path))
        if path == "README.md":
            path = "docs/index.md"
        if not path.startswith("docs/"):
            return self.outside(path) + (url.fragment and "#" + url.fragment)
        return url._replace(path=posixpath.relpath(path, posixpath.dirname(f"docs/{self.page}"))).geturl()

    def outside(self, path):
        if not (ROOT / path).exists():
            log.warning(f"{self.page or 'docs/README.md'}: no file {path}")
        return f"{self.repository}/{'tree' if (ROOT / path).is_dir() else 'blob'}/main/{path}"
