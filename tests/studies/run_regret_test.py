# SPDX-License-Identifier: Apache-2.0
"""studies/run_regret/study: `run_regret_test.py FEEDRATE`. The arithmetic, and a short study with the real feedrate."""
from __future__ import annotations

import csv
import pathlib
import subprocess
import sys
import tempfile
import unittest
from unittest import mock

sys.dont_write_bytecode = True
STUDIES = pathlib.Path(__file__).resolve().parents[2] / "studies"
sys.path.insert(0, str(STUDIES))

from run_regret import figures, subjects, summary, watching  # noqa: E402
from run_regret.measurements import Measurements  # noqa: E402

TUNING = {
    "is_over": True, "recommended": {"num_workers": 6, "prefetch_factor": 4, "pin_memory": False}, "gain": {"ratio": 1.71, "low": 1.66, "high": 1.76},
    "confidence": 0.97, "tolerance": 0.02, "considered": 96, "tried": 7, "cost_seconds": 1.2, "cost_share": 0.034,
}


class Verdict(unittest.TestCase):
    def test_reads_the_chosen_settings_and_the_claim(self):
        result = subjects.read_verdict({"tuning": TUNING, "text": ["97 % sure: within 2 % of the best of 96 settings"]}, {"num_workers": 2})
        self.assertEqual(result, subjects.TuningResult({"num_workers": 6, "prefetch_factor": 4}, 0.97, 0.02, 96, 7, 0.034, (1.71, 1.66, 1.76)))

    def test_where_nothing_was_tuned_the_users_own_stays(self):
        own = {"num_workers": 2, "prefetch_factor": 4}
        self.assertEqual(subjects.read_verdict({"tuning": None, "text": []}, own), subjects.TuningResult(own))
        self.assertEqual(subjects.read_verdict(None, own), subjects.TuningResult(own))

    def test_of_what_was_not_tried_claims_nothing(self):
        result = subjects.read_verdict({"tuning": {**TUNING, "gain": None}, "text": ["the best of those tried; 96 settings were considered"]}, {"num_workers": 2})
        self.assertEqual((result.confidence, result.tolerance, result.gain), (None, None, None))

    def test_without_workers_nothing_is_prefetched(self):
        tuning = {**TUNING, "recommended": {"num_workers": 0, "prefetch_factor": None}}
        self.assertEqual(subjects.read_verdict({"tuning": tuning, "text": []}, {"num_workers": 2}).chosen, {"num_workers": 0})


class Grid(unittest.TestCase):
    def test_has_what_feedrate_considers(self):
        with mock.patch.object(subjects, "cores", lambda: 2):
            waiting = subjects.Subject("a", {"num_workers": 1}, 4.0).grid()
            computing = subjects.Subject("b", {"num_workers": 4, "prefetch_factor": 3}).grid()
        self.assertEqual(sorted({one["num_workers"] for one in waiting}), [0, 1, 2, 3, 4, 6, 8])
        self.assertEqual(len(waiting), 1 + 2 * 6)
        self.assertEqual(computing[0], {"num_workers": 4, "prefetch_factor": 3})
        self.assertEqual(sorted({one["num_workers"] for one in computing}), [0, 1, 2, 3, 4])

    def test_of_few_rounds_has_no_oracle(self):
        grid = {"a": {0: 1.0, 1: 1.0}, "b": {0: 2.0, 1: 2.0, 2: 2.0, 3: 2.0}, "c": {0: 3.0, 1: 3.0, 2: 3.0, 3: 3.0}}
        self.assertEqual(figures.oracle(grid), "b")

    def test_does_not_flatter_what_was_lucky_once(self):
        grid = {"lucky": {0: 0.8, 1: 1.2, 2: 0.8, 3: 1.2}, "steady": {0: 1.0, 1: 1.0, 2: 1.0, 3: 1.0}}
        self.assertAlmostEqual(figures.best_seconds(grid), (1.2 * 1.0) ** 0.5)
        self.assertAlmostEqual(figures.rate_against_oracle(grid, "steady"), 1.2**0.5)

    def test_compares_within_the_rounds_that_both_have(self):
        self.assertAlmostEqual(figures.ratio({"a": {0: 1.0, 1: 2.0}, "b": {0: 3.0, 1: 6.0, 2: 1.0}}, "a", "b"), 3.0)


class Figures(unittest.TestCase):
    def test_steps_that_were_not_run_take_as_long_as_the_later_ones(self):
        self.assertAlmostEqual(figures.first_steps(10.0, 0.02, 250, 1000), 25.0)
        self.assertAlmostEqual(figures.first_steps(10.0, 0.02, 1000, 1000), 10.0)

    def test_an_interval_of_the_median_holds_it(self):
        middle, low, high = figures.median_interval([1.0, 2.0, 3.0, 4.0, 100.0])
        self.assertEqual(middle, 3.0)
        self.assertLessEqual(low, 2.0)
        self.assertGreaterEqual(high, 4.0)


class Table(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.known = Measurements(pathlib.Path(folder.name) / "measurements.csv")

    def add_runs(self, tuned_seconds: float, chosen: str) -> summary.Run:
        for turn in range(2):
            for settings, seconds in (("num_workers=0", 0.040), ("num_workers=1 prefetch_factor=2", 0.021), ("num_workers=2 prefetch_factor=2", 0.020)):
                self.known.add({"script": "hdf5", "kind": "grid", "repeat": turn, "settings": settings, "steps": 1, "seconds": seconds})
        common = {"script": "hdf5", "repeat": 0, "steps": 1000}
        self.known.add({**common, "kind": "untouched", "seconds": 40.0, "seconds_a_step_later": 0.04}, {**common, "kind": "oracle", "seconds": 20.0, "seconds_a_step_later": 0.02},
                       {**common, "kind": "tuned", "seconds": tuned_seconds, "seconds_a_step_later": 0.02, "chosen": chosen, "foreign": 0.01,
                        "confidence": 0.96, "tolerance": 0.02, "gain": 1.9, "gain_low": 1.8, "gain_high": 2.0})
        subject = next(one for one in subjects.SUBJECTS if one.name == "hdf5")
        return summary.outcome_of(self.known, subject, 1000).runs[0]

    def test_of_a_run_that_found_the_best(self):
        run = self.add_runs(21.0, "num_workers=2 prefetch_factor=2")
        self.assertAlmostEqual(run.regret, 0.05)
        self.assertAlmostEqual(run.loss, 0.0)
        self.assertTrue(run.kept)
        self.assertTrue(run.gain_kept)

    def test_of_a_run_that_claims_too_much(self):
        run = self.add_runs(22.0, "num_workers=1 prefetch_factor=2")
        self.assertAlmostEqual(run.loss, 1 - 20 / 21)
        self.assertFalse(run.kept)
        text = summary.markdown(self.known, subjects.SUBJECTS, {}, ["head"], 1000)
        self.assertIn("| hdf5 | W=0 | W=2 | 20.0 s | +100.0 % | 10.0 % (10.0 %) | W=1 | 4.8 % (4.8 %) | 50.0 % | 96% to 96% | 0 of 1 |", text)
        self.assertIn("0 of 1 scripts, 0 of 1 runs", text)

    def test_of_watching_has_differences_within_rounds(self):
        for turn in range(3):
            for kind, seconds in (("plain", 1.0 + turn), ("watched", 1.25 + turn)):
                self.known.add({"script": "tiny_loop", "kind": kind, "repeat": turn, "steps": 100_000, "seconds": seconds, "cpu_seconds": 1.0})
        for kind, batch_size, allocations in (("plain", 8, 1000), ("plain", 64, 6600), ("watched", 8, 1200), ("watched", 64, 6800 + 56)):
            self.known.add({"script": "allocations", "kind": kind, "repeat": batch_size, "steps": 100, "allocations": allocations})
        text = watching.markdown(self.known)
        self.assertIn("| wall time | 20.0 µs | 2.50 (2.50 to 2.50) |", text)
        self.assertIn("| allocations a step, a sample | | 2.00, 0.010 |", text)


class Study(unittest.TestCase):
    def study(self, *words: str) -> tuple[list[dict[str, str]], str]:
        command = [sys.executable, STUDIES / "run_regret/study", "--feedrate", FEEDRATE, "--python", sys.executable, "--out", self.out, *words]
        done = subprocess.run(command, capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        with (self.out / "measurements.csv").open(newline="") as file:
            return list(csv.DictReader(file)), (self.out / "table.md").read_text(encoding="utf-8")

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.out = pathlib.Path(folder.name) / "study"

    def test_of_one_script_continues_where_it_stopped(self):
        words = ["--only", "skewed_samples", "--repeats", "1", "--steps", "60", "--reference-steps", "20", "--grid-rounds", "2", "--grid-seconds", "0.05"]
        rows, table = self.study(*words)
        kinds = [row["kind"] for row in rows]
        subject = next(one for one in subjects.SUBJECTS if one.name == "skewed_samples")
        self.assertEqual([kinds.count(kind) for kind in ("grid", "untouched", "oracle", "tuned")], [2 * len(subject.grid()), 1, 1, 1])
        for row in rows:
            least = 0.012 if row["kind"] == "grid" else 0.012 * int(row["steps"])  # the step sleeps for 12 ms
            self.assertGreaterEqual(float(row["seconds"]), least, row)
        self.assertIn("| skewed_samples | W=2 |", table)
        self.assertNotIn(str(self.out.parent), table)
        self.assertEqual(self.study(*words)[0], rows)

    def test_of_watching(self):
        rows, table = self.study("--only", "watching", "--watching", "1", "--watched-steps", "500", "--tuning-seconds", "0.1")
        loops = [row for row in rows if row["script"] == "tiny_loop"]
        self.assertEqual(sorted(row["kind"] for row in loops), ["plain", "tuned", "watched"])
        counts = {(row["kind"], row["repeat"]): int(row["allocations"]) for row in rows if row["script"] == "allocations"}
        self.assertGreaterEqual(counts["plain", "64"] - counts["plain", "8"], 500 * 56)  # PyTorch's own, per sample
        self.assertIn("| wall time |", table)


if __name__ == "__main__":
    try:
        import torch  # noqa: F401
    except ImportError as error:
        print(f"skipped: {sys.executable}: {error}; needs torch")
        sys.exit(77)
    FEEDRATE = sys.argv.pop(1)
    unittest.main()
