#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""studies/answer_study: `answer_study_test.py FEEDRATE`."""
import csv
import pathlib
import subprocess
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True
from load_study import STUDIES, load_study

study = load_study("answer_study")

CONFIG = """
engine: native
dataset: {path: ds, make: {preset: cifar10-like, count: 64}}
loader: {batch_size: 4, num_workers: [0, 1]}
device: {name: sim:a100-pcie4}
trainer: {kind: burn, step_ms: 1}
measure: {steps: 4, repeats: 3, limits: false}
"""


def cell(workers, *rates):
    return {"settings": {"num_workers": workers}, "metrics": {}, "repeats": [{"metrics": {"samples_per_second": rate}} for rate in rates]}


class Rule(unittest.TestCase):
    def test_points_of_students_t_are_those_of_the_tables(self):
        self.assertAlmostEqual(study.student_t(6), 2.447, 2)
        self.assertAlmostEqual(study.student_t(30), 2.042, 3)

    def test_the_old_rule_takes_noise_for_equality(self):
        quiet = {"0": cell(0, 80, 80.1, 79.9), "1": cell(1, 100, 100.1, 99.9)}
        self.assertEqual(study.by_least_significant_difference(quiet), "1")
        noisy = {"0": cell(0, 60, 80, 100), "1": cell(1, 80, 100, 120)}
        self.assertEqual(study.by_least_significant_difference(noisy), "0")


class Study(unittest.TestCase):
    def test_of_two_runs_each(self):
        with tempfile.TemporaryDirectory() as folder:
            (pathlib.Path(folder) / "s.yaml").write_text(CONFIG)
            command = [sys.executable, STUDIES / "answer_study", "--feedrate", FEEDRATE, "--runs", "2", "--quiet-runs", "3", "--out", "study", "s.yaml"]
            done = subprocess.run(command, cwd=folder, capture_output=True, text=True)
            self.assertEqual(done.returncode, 0, done.stderr)
            runs, pairs = [list(csv.DictReader((pathlib.Path(folder) / "study" / name).read_text().splitlines()))
                           for name in ("runs.csv", "pairs.csv")]
        self.assertEqual([run["run"] for run in runs], ["quiet-00", "quiet-01", "quiet-02", "disturbed-00", "disturbed-01"])
        self.assertEqual({run["proposed"] for run in runs} - {"num_workers=0", "num_workers=1"}, set())
        self.assertEqual([(pair["baseline"], pair["cells"]) for pair in pairs], [("quiet-00", "2"), ("quiet-01", "2"), ("disturbed-00", "2")])


if __name__ == "__main__":
    FEEDRATE = sys.argv.pop(1)
    unittest.main()
