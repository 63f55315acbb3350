# SPDX-License-Identifier: Apache-2.0
"""Tests report.html in a headless Chromium: page_test.py FEEDRATE FOLDER

Exits with 77 and a message if there is no Chromium."""

import json
import pathlib
import shutil
import subprocess
import sys
import unittest

import made_runs
from browser import Browser

FEEDRATE, FOLDER = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2]).resolve()
CHARTS = ["bars", "effects", "throughput", "heat", "memory", "prefetch", "spread", "summary", "histogram", "timeline"]
SMALL = {"formats": ["folder", "lmdb"], "workers": (0, 2, 4), "prefetch": (2, 4), "pinned": (True,), "batches": (64,)}


def make_page(name, *runs):
    paths = [made_runs.write(FOLDER / f"{name}-{at}" / "run.json", run).parent for at, run in enumerate(runs)]
    page = FOLDER / f"{name}.html"
    subprocess.run([FEEDRATE, "report", *paths, "-o", page], check=True, stdout=subprocess.DEVNULL)
    return page


PROFILE = """simulated device: sim:a100-pcie4

== cell 0: format=folder

Execution Summary (20 steps)
Category           Time Duration (us)  Percentage (%)
-----------------  ------------------  --------------
Average Step Time              26,184          100.00
Kernel                         20,000           76.38
DataLoader                      6,184           23.62
Other                               0            0.00

GPU Summary
Kernel                              1            1.00
"""


class Page(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.browser = Browser(PROGRAM)
        cls.small = make_page("small", made_runs.grid(**SMALL))
        (FOLDER / "small-0" / "profile.txt").write_text(PROFILE)
        cls.small = make_page("small", made_runs.grid(**SMALL))

    @classmethod
    def tearDownClass(cls):
        cls.browser.close()

    def tearDown(self):
        self.assertEqual(self.browser.complaints(), [])
        self.assertEqual([url for url in self.browser.requests() if not url.startswith(("file:", "data:", "blob:"))], [])

    def open(self, page, width=1280):
        self.browser.resize(width, 900, mobile=width < 500)
        self.browser.open(page.as_uri())

    def ask(self, expression):
        return self.browser.ask(expression)

    def marks(self, chart, kind=".mark"):
        return self.ask(f"document.querySelectorAll('#{chart} .area svg {kind}').length")

    def column(self, name):
        return self.ask("(() => { const heads = [...document.querySelectorAll('#cells th button')].map(b => b.dataset.key);"
                        f" return [...document.querySelectorAll('#cells tbody tr')].map(r => r.cells[heads.indexOf('{name}')].textContent); }})()")

    def click(self, selector):
        self.ask(f"document.querySelector({json.dumps(selector)}).click()")

    def choose(self, selector, value):
        self.ask(f"(() => {{ const box = document.querySelector({json.dumps(selector)}); box.value = {json.dumps(value)};"
                 " box.dispatchEvent(new Event('change')); })()")

    def search(self, text):
        self.ask(f"(() => {{ const box = document.getElementById('search'); box.value = {json.dumps(text)}; box.dispatchEvent(new Event('input')); }})()")

    def middle_of(self, selector):
        return self.ask(f"(() => {{ const mark = document.querySelector({json.dumps(selector)}); mark.scrollIntoView({{block: 'center'}});"
                        " const box = mark.getBoundingClientRect(); return [box.x + box.width / 2, box.y + box.height / 2]; })()")

    def point_at(self, selector):
        """Returns when a tip is shown, or after 5 s."""
        self.browser.move_to(*self.middle_of(selector))
        self.ask("new Promise(done => { const look = (left) => left === 0 || !document.getElementById('tip').hidden"
                 " ? done() : setTimeout(look, 10, left - 1); look(500); })")

    def test_every_chart_draws_a_mark_for_each_thing_it_shows(self):
        self.open(self.small)
        cells, formats, workers, factors = 12, 2, 3, 2
        self.assertEqual(self.marks("bars"), cells)
        self.assertEqual(self.marks("throughput", ".point:not(.limit)"), formats * workers)
        self.assertEqual(self.marks("throughput", ".point.limit"), formats * workers)
        self.assertEqual(self.marks("throughput", "line.trainer-limit"), 1)
        self.assertEqual(self.marks("throughput", ".band"), formats)
        self.assertEqual(self.marks("heat"), formats * workers)
        self.assertEqual(self.marks("memory"), cells)
        self.assertEqual(self.marks("prefetch"), workers * factors)
        self.assertEqual(self.marks("spread"), 10)
        self.assertEqual(self.marks("summary"), 1)
        self.assertEqual(self.marks("summary", ".mark .bar"), 2)
        self.assertEqual(self.marks("timeline"), 50)
        self.assertGreaterEqual(self.marks("histogram"), 8)
        for chart in CHARTS:
            box = self.ask(f"(() => {{ const box = document.querySelector('#{chart} .area svg').getBoundingClientRect(); return [box.width, box.height]; }})()")
            self.assertGreater(min(box), 50, chart)

    def test_the_verdict_says_what_the_terminal_says(self):
        self.open(self.small)
        text = self.ask("document.getElementById('verdict').textContent")
        self.assertIn("DataLoader(dataset, batch_size=64", text)
        self.assertIn("Proposed: num_workers=", text)
        self.assertIn("already GPU-bound", text)
        self.assertIn("sim:a100-pcie4", self.ask("document.getElementById('notice').textContent"))

    def test_names_between_backticks_are_code(self):
        run = made_runs.grid(**SMALL)
        for cell in run["cells"]:
            cell["settings"]["engine"] = "native"
        run["environment"]["warnings"] = ["Set `num_workers` in `<b>here</b>`."]
        page = make_page("code", run, run)
        self.open(page)
        self.assertIn("feedrate tune", self.ask("[...document.querySelectorAll('#verdict code')].map(one => one.textContent)"))
        self.assertEqual(self.ask("[...document.querySelectorAll('#warnings code')].map(one => one.textContent)"), ["num_workers", "<b>here</b>"])
        self.assertIn("feedrate compare", self.ask("[...document.querySelectorAll('#compared code')].map(one => one.textContent)"))
        literal = self.ask("[...document.querySelectorAll('body *')].filter(one => !one.closest('pre, script, style')).flatMap(one => [...one.childNodes])"
                           ".filter(one => one.nodeType === 3 && one.data.includes('`')).map(one => one.data)")
        self.assertEqual(literal, [])
        self.assertEqual(self.ask("[...document.querySelectorAll('[title]')].filter(one => one.title.includes('`')).length"), 0)

    def test_the_axis_of_a_time_names_no_unit_but_its_ticks_do(self):
        self.open(self.small)
        for chart in ("bars", "spread", "summary", "histogram", "timeline"):
            self.assertIn("time per step", self.ask(f"[...document.querySelectorAll('#{chart} .title')].map(one => one.textContent)"), chart)

    def test_cells_are_counted_the_same_everywhere(self):
        run = made_runs.grid(**SMALL)
        failed = {"outcome": "failed", "reason": "no", "metrics": {}, "repeats": []}
        run["cells"].append({"cell": len(run["cells"]), "settings": made_runs.settings(format="tar"), **failed})
        self.open(make_page("counted", run))
        counts = lambda: self.ask("['#filters', '#cells'].map(one => document.querySelector(one + ' .count').textContent)")
        self.assertEqual(counts(), ["Shown: 12 cells, 7 reference cells and 1 not measured", "12 cells, 7 reference cells and 1 not measured"])
        self.ask("[...document.querySelectorAll('.chip')].find(chip => chip.textContent === 'lmdb').click()")
        told = "6 of 12 cells, 3 of 7 reference cells and 0 of 1 not measured"
        self.assertEqual(counts(), [f"Shown: {told}", told])

    def test_warnings_follow_the_answer_the_largest_first(self):
        run = made_runs.grid(**SMALL)
        run["environment"]["warnings"] = ["The governor is powersave.", "sim:a100-pcie4 is a model, not a GPU."]
        self.open(make_page("doubted", run))
        self.assertEqual(self.ask("document.querySelector('#verdict').nextElementSibling.id"), "warnings")
        self.assertIn("is a model", self.ask("document.querySelector('#warnings li').textContent"))
        self.assertNotIn("Warnings", self.ask("document.getElementById('about').textContent"))

    def test_the_answer_names_what_one_may_choose(self):
        self.open(self.small)
        winner = self.ask("document.querySelector('#verdict .winner').textContent")
        self.assertIn("num_workers=", winner)
        self.assertNotIn("trainer=", winner)
        self.assertNotIn("loader=", winner)

    def test_a_disturbed_cell_is_marked(self):
        self.open(self.small)
        proposed = self.ask("JSON.parse(document.getElementById('data').textContent).runs[0].verdict.answers[0].proposed")
        run = made_runs.grid(**SMALL)
        disturbed = run["cells"][proposed]
        for metrics in [disturbed["metrics"], *(start["metrics"] for start in disturbed["repeats"])]:
            metrics.update({"cpus": 2.0, "foreign_cpu": 0.96, "disturbed": 1.0})
        self.open(make_page("disturbed", run))
        hints = self.ask("[...document.querySelectorAll('#cells tbody td')].filter(one => one.textContent.endsWith(' !')).map(one => one.title)")
        self.assertEqual(hints, ["other programs used 0.96 of 2 CPUs in 3 of 3 repeats"])
        self.assertIn("!: disturbed by other programs", self.ask("document.querySelector('#cells .count').textContent"))
        self.assertIn("During its measurement other programs used 0.96 of 2 CPUs", self.ask("document.querySelector('#verdict .answer').textContent"))
        self.assertIn("Other programs used 0.96 of 2 CPUs in 3 of", self.ask("document.getElementById('notice').textContent"))

    def test_rates_of_another_loader_are_no_settings_to_use_in_pytorch(self):
        for engine, is_native in [("native", True), ("torch", False)]:
            run = made_runs.grid(**SMALL)
            for cell in run["cells"]:
                cell["settings"]["engine"] = engine
            self.open(make_page(f"engine-{engine}", run))
            answer = self.ask("document.querySelector('#verdict .answer').textContent")
            self.assertEqual("In PyTorch, which may need more workers" in answer, is_native, engine)
            self.assertEqual("To use it:" in answer, not is_native, engine)

    def test_each_setting_has_its_effect(self):
        run = made_runs.grid(**SMALL)
        self.open(make_page("effects", run))
        rows = self.ask("JSON.parse(document.getElementById('data').textContent).runs[0].effects.rows")
        self.assertEqual([f"{row['setting']}={row['value']}" for row in rows], ["num_workers=2", "num_workers=4", "prefetch_factor=4", "format=lmdb"])
        self.assertEqual(self.marks("effects"), len(rows))
        colours = self.ask("[...document.querySelectorAll('#effects .mark circle')].map(one => one.getAttribute('fill'))")
        roles = ["open" if row["low"] is None or row["low"] <= 1 <= row["high"] else "faster" if row["low"] > 1 else "slower" for row in rows]
        self.assertEqual(colours, [f"var(--{role})" for role in roles])
        self.assertIn("faster", roles)
        ticks = self.ask("[...document.querySelectorAll('#effects .axis .tick text')].map(one => one.textContent)")
        self.assertIn("0 %", ticks)
        self.assertGreater(len(ticks), 2)
        dependences = self.ask("[...document.querySelectorAll('#effects .note li')].map(one => one.textContent)")
        self.assertEqual(dependences, self.ask("JSON.parse(document.getElementById('data').textContent).runs[0].effects.dependences"))
        self.ask("document.querySelector('#effects svg').focus()")
        self.browser.press("ArrowRight")
        tip = self.ask("document.getElementById('tip').textContent")
        for word in ("num_workers=2, against 0", rows[0]["gain"], rows[0]["interval"], "pairs of cells4"):
            self.assertIn(word, tip)

    def test_ticks_of_large_effects_are_powers_of_two(self):
        run = made_runs.grid(**SMALL)
        for cell in run["cells"]:
            for metrics in [cell["metrics"], *(start["metrics"] for start in cell["repeats"])]:
                metrics["samples_per_second"] *= 40 if cell["settings"]["format"] == "lmdb" else 1
        self.open(make_page("large-effects", run), width=390)
        self.assertEqual(self.ask("[...document.querySelectorAll('#effects .axis .tick text')].map(one => one.textContent)"), ["0 %", "8x"])

    def test_without_pairs_there_is_no_card_of_effects(self):
        one = made_runs.grid(formats=["folder"], workers=(2,), prefetch=(2,), pinned=(True,), batches=(64,))
        for name, run in (("one", one), ("trained", made_runs.trained())):
            self.open(make_page(name, run))
            self.assertEqual(self.ask("getComputedStyle(document.getElementById('effects')).display"), "none", name)
        self.open(make_page("then-pairs", made_runs.trained(), made_runs.grid(**SMALL)))
        self.choose(".tools select", "1")
        self.ask("new Promise(done => { const look = (left) => left === 0 || document.querySelector('#effects svg').clientWidth > 300 ? done() : setTimeout(look, 10, left - 1); look(500); })")
        self.assertGreater(self.ask("document.querySelector('#effects svg').clientWidth"), 300)

    def test_limits_are_listed_below_the_cells(self):
        self.open(self.small)
        limits = self.ask("[...document.querySelectorAll('#cells tbody tr')].map(line => line.classList.contains('limit'))")
        self.assertTrue(any(limits))
        self.assertEqual(limits, sorted(limits))

    def test_bursts_are_a_matter_of_workers(self):
        self.open(self.small)
        told = []
        for workers in ("0", "2"):
            place = self.ask(f"[...document.querySelectorAll('#cell option')].find(o => o.textContent.includes('num_workers={workers}')).value")
            self.choose("#cell", place)
            told.append("burst" in self.ask("document.getElementById('histogram').textContent"))
        self.assertEqual(told, [False, True])

    def test_a_heading_sorts_and_sorts_the_other_way(self):
        self.open(self.small)
        self.click("#cells th [data-key=memory]")
        falling = self.column("memory")
        self.click("#cells th [data-key=memory]")
        rising = self.column("memory")
        number = lambda text: float(text.split()[0])
        limits = self.ask("JSON.parse(document.getElementById('data').textContent).runs[0].cells.filter(cell => cell.limit).length")
        for cells in (slice(0, len(falling) - limits), slice(len(falling) - limits, None)):  # Limits come last.
            self.assertEqual([number(t) for t in falling[cells]], sorted((number(t) for t in falling[cells]), reverse=True))
            self.assertEqual([number(t) for t in rising[cells]], sorted(number(t) for t in rising[cells]))
        self.assertEqual(self.ask("document.querySelector('#cells th[aria-sort=ascending] button').dataset.key"), "memory")

    def test_chips_filter_charts_and_table(self):
        self.open(self.small)
        self.ask("[...document.querySelectorAll('.chip')].find(chip => chip.textContent === 'lmdb').click()")
        self.assertEqual(self.marks("bars"), 6)
        self.assertEqual(set(self.column("format")), {"lmdb"})
        self.click("#filters .small")
        self.assertEqual(self.marks("bars"), 12)

    def test_the_search_knows_words_settings_and_comparisons(self):
        self.open(self.small)
        for text, count in [("lmdb", 9), ("num_workers=4", 6), ("lmdb num_workers=4 trainer=burn", 2), ("num_workers<1", 7), ("nothing", 0)]:
            self.search(text)
            self.assertEqual(len(self.column("format")), count, text)

    def test_the_pointer_on_a_mark_shows_its_figures(self):
        self.open(self.small)
        self.point_at("#memory .mark")
        self.assertFalse(self.ask("document.getElementById('tip').hidden"))
        tip = self.ask("document.getElementById('tip').textContent")
        for word in ("num_workers=", "samples/s", "memory", "loading"):
            self.assertIn(word, tip)

    def test_the_keyboard_walks_through_marks_and_chooses(self):
        self.open(self.small)
        before = self.ask("document.querySelector('#detail .winner').textContent")
        self.ask("document.querySelector('#bars svg').focus()")
        for _ in range(3):
            self.browser.press("ArrowRight")
        self.assertFalse(self.ask("document.getElementById('tip').hidden"))
        self.browser.press("Enter")
        self.assertNotEqual(self.ask("document.querySelector('#detail .winner').textContent"), before)

    def test_the_theme_button_changes_the_colours(self):
        self.open(self.small)
        ground = "getComputedStyle(document.body).backgroundColor"
        before = self.ask(ground)
        self.click("#theme")
        self.assertNotEqual(self.ask(ground), before)
        self.click("#theme")
        self.assertEqual(self.ask(ground), before)

    def test_a_watched_cell_shows_what_the_machine_did(self):
        run = made_runs.grid(**SMALL)
        made_runs.watched(run["cells"][0])
        self.open(make_page("watched", run))
        self.choose("#cell", "0")
        text = self.ask("document.getElementById('monitor').textContent")
        for word in ("CPU cores", "GPU memory", "Page cache", "of all programs", "no traffic on the network", "0.71 % of a CPU"):
            self.assertIn(word, text)
        self.assertEqual(self.marks("monitor"), 40)
        self.assertEqual(self.marks("monitor", ".track"), 7)  # CPU, its cores, GPU and its memory, memory, page cache, disk.
        self.assertEqual(self.marks("monitor", ".window"), 1)
        self.assertEqual(self.marks("monitor", ".thin.line"), 2)
        self.point_at("#monitor .mark:last-child")
        tip = self.ask("document.getElementById('tip').textContent")
        for word in ("after 2.00 s", "CPU, main", "Disk, read", "/s", "busiest core"):
            self.assertIn(word, tip)
        advice = self.ask("[...document.querySelectorAll('#detail .advice li')].map(line => line.textContent)")
        self.assertEqual([line.split(":")[0] for line in advice], ["GPU", "Disturbed"])

    def test_an_unmonitored_cell_says_so(self):
        self.open(self.small)
        self.assertIn("was not monitored", self.ask("document.getElementById('monitor').textContent"))
        self.assertEqual(self.marks("monitor", "*"), 0)

    def test_a_watched_training_shows_its_history(self):
        self.open(make_page("trained", made_runs.trained()))
        self.assertEqual(self.ask("document.querySelector('#verdict .winner').textContent"), "INPUT-BOUND: <b>the workers</b>")
        self.assertIn("68,610 steps", self.ask("document.querySelector('#verdict .said').textContent"))
        segments, measured = 7, 6
        self.assertEqual(self.marks("history", ".mark:not(.switch)"), 60 * measured)
        self.assertEqual(self.marks("history", ".switch"), segments - 1)
        self.assertEqual(self.marks("history", ".idle"), 60 * measured)
        self.assertEqual(self.marks("history", ".rounds line"), 10)
        self.assertEqual(self.marks("history", ".window"), 4)
        rows = self.ask("[...document.querySelectorAll('#history tbody tr')].map(row => [...row.cells].map(one => one.textContent))")
        self.assertEqual([row[2] for row in rows], ["as written", "trial", "trial", "as written", "trial", "trial", "kept"])
        self.assertEqual(rows[6][:10], ["7", "num_workers=6", "kept", "91.0 s", "60 min 0 s", "67,500", "2.00 ms", "50.0 ms", "3.8 %", "1,231"])
        self.assertEqual(rows[2][6:], ["–", "–", "–", "–", "OSError: no memory <b>"])
        self.assertIn("1 point is above the chart", self.ask("document.querySelector('#history .note').textContent"))
        self.assertGreaterEqual(self.ask("Math.min(...[...document.querySelectorAll('#history .bar')].map(bar => Number(bar.getAttribute('y'))))"), 0)
        self.assertEqual(self.ask("document.querySelector('#cell').selectedOptions[0].textContent"), "num_workers=6")

    def test_the_changed_lines_of_a_watched_training_can_be_copied_without_location(self):
        self.open(make_page("trained", made_runs.trained()))
        self.assertIn("- DataLoader(…, num_workers=0)", self.ask("document.querySelector('#verdict .paste pre').textContent"))
        self.ask("Object.defineProperty(navigator, 'clipboard', { value: { writeText: async (text) => { window.copied = text; } } })")
        self.click("#verdict .paste button")
        self.assertEqual(self.ask("window.copied"), "DataLoader(…, num_workers=6)\n")

    def test_the_time_of_tuning_can_be_enlarged(self):
        self.open(make_page("trained", made_runs.trained()))
        width = "document.querySelector('#history .window:last-of-type').getBoundingClientRect().width"
        before = self.ask(width)
        self.choose("#history .controls label:last-child select", "close")
        self.assertGreater(self.ask(width), 10 * before)
        self.assertIn("seconds since", self.ask("document.querySelector('#history svg').textContent"))
        self.choose("#history .controls select", "1")
        self.assertEqual(self.marks("history", ".mark"), 5)
        self.assertEqual(self.marks("history", ".idle"), 0)
        self.assertEqual(self.ask("document.querySelectorAll('#history .controls select').length"), 1)

    def test_points_and_switches_say_what_they_are_and_choose_their_cell(self):
        self.open(make_page("trained", made_runs.trained()))
        tip = "document.getElementById('tip').textContent"
        self.ask("document.querySelector('#history svg').focus()")
        self.browser.press("ArrowRight")
        for word in ("0.50 s to 0.82 s", "loading100 ms", "training50.0 ms", "GPU idle66.7 %", "num_workers=0"):
            self.assertIn(word, self.ask(tip))
        self.browser.press("Enter")
        self.assertEqual(self.ask("document.querySelector('#cell').selectedOptions[0].textContent"), "num_workers=0")
        self.choose("#history .controls label:last-child select", "close")
        self.point_at("#history .switch:last-child")
        for word in ("num_workers=16", "OSError: no memory <b>"):
            self.assertIn(word, self.ask(tip))
        self.click("#history tbody tr:nth-child(5)")
        self.assertEqual(self.ask("document.querySelector('#cell').selectedOptions[0].textContent"), "num_workers=4")

    def test_a_sweep_shows_no_history(self):
        self.open(self.small)
        self.assertTrue(self.ask("document.getElementById('history').hidden"))
        self.open(make_page("both", made_runs.grid(**SMALL), made_runs.trained()))
        self.choose(".tools select", "1")
        self.assertFalse(self.ask("document.getElementById('history').hidden"))
        self.ask("new Promise(done => { const look = (left) => left === 0 || document.querySelector('#history svg').clientWidth > 1000 ? done() : setTimeout(look, 10, left - 1); look(500); })")
        self.assertGreater(self.ask("document.querySelector('#history svg').clientWidth"), 1000)

    def test_a_training_of_too_few_steps_says_so(self):
        run = made_runs.trained()
        run["history"] = {"verdict": [], "loaders": []}
        self.open(make_page("short", run))
        self.assertIn("No loader had enough steps", self.ask("document.getElementById('history').textContent"))

    def test_the_chosen_cell_has_its_execution_summary(self):
        self.open(self.small)
        self.choose("#cell", "0")
        self.assertIn("Execution Summary (20 steps)", self.ask("document.querySelector('#detail pre').textContent"))

    def test_pictures_and_csv_can_be_saved(self):
        self.open(self.small)
        self.ask("window.saved = []; URL.createObjectURL = (blob) => { saved.push(blob); return 'data:,'; }; HTMLAnchorElement.prototype.click = () => {}")
        for button in ("#bars .save button:nth-child(1)", "#csv"):
            self.click(button)
        svg, csv = self.ask("Promise.all(saved.map(blob => blob.text()))")
        self.assertIn("<svg", svg)
        self.assertIn("simulated device", svg)
        self.assertFalse("var(--" in svg or "class=" in svg, svg[:500])
        self.assertTrue(csv.startswith("jobid,simulated,cell,outcome,reason,"), csv[:80])
        self.click("#heat .save button:nth-child(2)")
        self.assertEqual(self.ask("new Promise(done => { const look = () => saved[2] ? saved[2].slice(1, 4).text().then(done) : setTimeout(look, 5); look(); })"), "PNG")

    def test_several_runs_are_compared_and_each_can_be_shown(self):
        self.open(make_page("two", made_runs.grid(**SMALL), made_runs.grid(**SMALL, slower=2.0)))
        self.assertEqual(self.marks("comparison"), 12)  # Without the limits.
        self.assertEqual(self.marks("rates", ".mark circle"), 24)  # Both runs.
        self.assertIn("slower in 12", self.ask("document.querySelector('#compared').firstChild.textContent"))
        self.point_at("#comparison .mark")
        tip = self.ask("document.getElementById('tip').textContent")
        self.assertIn("0.500", tip)
        self.assertIn("LOSE, a regression", tip)
        self.choose(".tools select", "1")
        self.assertIn("two-1", self.ask("document.querySelector('.facts').textContent"))

    def test_several_runs_are_overlaid_in_the_throughput_chart(self):
        count = lambda what: self.ask(f"document.querySelectorAll('#throughput {what}').length")
        self.open(make_page("overlaid", made_runs.grid(**SMALL), made_runs.grid(**SMALL, slower=2.0), made_runs.grid(**SMALL, slower=1.5)))
        self.assertEqual((count(".line.other"), count(".point.other")), (4, 12))  # Two runs, two formats, three numbers of workers.
        self.assertEqual(self.ask("new Set([...document.querySelectorAll('#throughput .line.other')].map(line => line.getAttribute('stroke-dasharray'))).size"), 2)
        legend = self.ask("document.querySelector('#throughput .legend').textContent")
        for run in ("overlaid-0", "overlaid-1", "overlaid-2"):
            self.assertIn(run, legend)
        self.point_at("#throughput .point.other")
        self.assertIn("overlaid-", self.ask("document.getElementById('tip').textContent"))
        self.choose("#throughput .controls label:last-child select", "one")
        self.assertEqual((count(".line.other"), count(".point.other")), (0, 0))

    def test_a_phone_shows_several_runs_without_scrolling_sideways(self):
        self.open(make_page("a_name_without_a_place_to_break_" * 3, made_runs.grid(**SMALL), made_runs.grid(**SMALL, slower=2.0)), width=390)
        self.assertEqual(self.ask("document.documentElement.scrollWidth"), 390)

    def test_texts_never_become_markup(self):
        self.open(make_page("hostile", made_runs.hostile()))
        self.assertEqual(self.ask("document.querySelectorAll('img').length + (window.hurt ?? 0)"), 0)
        self.assertIn("</script><img", self.ask("document.querySelector('h1').textContent"))
        self.assertIn("</script><img", self.ask("document.getElementById('about').textContent"))

    def test_texts_of_a_history_never_become_markup(self):
        run = made_runs.trained()
        markup = made_runs.hostile()["question"]
        history = run["history"]
        history["verdict"] = ["INPUT-BOUND: " + markup, markup, "train.py:42  - " + markup, "             + " + markup]
        history["loaders"][0]["loader"] = history["loaders"][0]["segments"][1]["problem"] = markup
        history["loaders"][0]["segments"][1]["settings"]["num_workers"] = markup
        self.open(make_page("hostile-history", run))
        self.assertEqual(self.ask("document.querySelectorAll('img').length + (window.hurt ?? 0)"), 0)
        self.assertIn("</script><img", self.ask("document.querySelector('#history table').textContent"))
        for place in (".winner", ".said", "pre"):
            self.assertIn("</script><img", self.ask(f"document.querySelector('#verdict {place}').textContent"))

    def test_a_phone_shows_everything_without_scrolling_sideways(self):
        self.open(self.small, width=390)
        self.assertEqual(self.ask("document.documentElement.scrollWidth"), 390)
        self.assertEqual(self.marks("bars"), 12)
        self.open(make_page("trained", made_runs.trained()), width=390)
        self.assertEqual(self.ask("document.documentElement.scrollWidth"), 390)

    BROKEN = """[...document.querySelectorAll(%s)].filter(one => one.checkVisibility()).flatMap(one => [...one.childNodes].filter(node => node.nodeType === 3))
        .flatMap(node => [...node.data.matchAll(/\\S+/g)].filter(word => { const range = document.createRange();
            range.setStart(node, word.index); range.setEnd(node, word.index + word[0].length);
            return new Set([...range.getClientRects()].map(box => Math.round(box.top))).size > 1; }).map(word => word[0]))"""

    def test_no_name_and_no_button_breaks_within_a_word(self):
        run = made_runs.grid(**SMALL)
        run["environment"]["facts"]["dataset_counts hdf5_contiguous"] = "2000 records of 4542683 bytes in all the files of the folder " * 3
        for page in (make_page("names", run), make_page("trained", made_runs.trained())):
            for width in (1280, 390):
                self.open(page, width=width)
                self.ask("document.querySelectorAll('details').forEach(one => { one.open = true; })")
                self.assertEqual(self.ask(self.BROKEN % "'button, dt, legend, h2, .winner, .control span'"), [], width)

    def test_a_run_without_a_measured_cell_says_so(self):
        cell = {"cell": 0, "outcome": "failed", "reason": "a.png: cannot be decoded", "settings": made_runs.settings(), "metrics": {}, "repeats": []}
        self.open(make_page("failed", made_runs.run_of([cell])))
        self.assertIn("nothing to propose", self.ask("document.getElementById('verdict').textContent"))
        self.assertIn("a.png: cannot be decoded", self.ask("document.getElementById('about').textContent"))
        self.assertEqual(self.ask("document.querySelectorAll('#cells tbody tr').length"), 1)

    def test_a_csv_is_shown_without_its_raw_timings(self):
        csv = FOLDER / "cells.csv"
        self.open(self.small)
        csv.write_text(self.ask("JSON.parse(document.getElementById('data').textContent).runs[0].csv"))
        page = FOLDER / "csv.html"
        subprocess.run([FEEDRATE, "report", csv, "-o", page], check=True, stdout=subprocess.DEVNULL)
        self.open(page)
        self.assertEqual(self.marks("bars"), 12)
        self.assertIn("raw timings", self.ask("document.getElementById('timeline').textContent"))

    def test_a_thousand_cells_are_drawn_at_once(self):
        page = make_page("thousand", made_runs.grid())
        self.open(page)
        cells = 1000
        self.assertEqual(self.marks("bars"), cells)
        self.assertEqual(self.marks("memory"), cells)
        self.assertEqual(self.ask("document.querySelectorAll('#cells tbody tr').length"), 100)
        # Printed, not asserted, since the time depends on the machine; the number of elements bounds it.
        drawn = float(self.ask("document.documentElement.dataset.renderedMs"))
        whole = self.ask("performance.getEntriesByType('navigation')[0].loadEventEnd")
        print(f"1026 cells, {page.stat().st_size / 1e6:.1f} MB: drawn {drawn:.0f} ms after the script began; load event at {whole:.0f} ms")
        self.assertLess(self.ask("document.querySelectorAll('*').length"), 15000)


if __name__ == "__main__":
    PROGRAM = shutil.which("chromium") or shutil.which("google-chrome")
    if PROGRAM is None:
        print("skipped: there is no Chromium; Debian's package chromium has it")
        sys.exit(77)
    shutil.rmtree(FOLDER, ignore_errors=True)
    unittest.main(argv=sys.argv[:1], verbosity=2)
