#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""effects_study_test.py FEEDRATE: studies/effects_study and studies/plan_time, their arithmetic and a short run of each."""
import pathlib
import subprocess
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True
from load_study import STUDIES, load_study

effects = load_study("effects_study")
times = load_study("plan_time")
FEEDRATE = pathlib.Path(sys.argv.pop(1)).resolve()

CONFIG = """# Which is faster?
engine: native
dataset: {path: ds, make: {preset: cifar10-like, count: 64}}
loader: {batch_size: 4, num_workers: [0, 1], pin_memory: [false, true]}
device: {name: 'sim:a100-pcie4'}
trainer: {kind: burn, step_ms: 5}
measure: {steps: 40, repeats: 3, limits: false}
"""


def gain(ratio, low=None, high=None):
    return {"ratio": ratio, "low": low, "high": high}


class Effects(unittest.TestCase):
    def test_a_second_ratio_within_the_interval_holds(self):
        first = {("a", "1"): gain(1.1, 1.0, 1.2), ("b", "1"): gain(1.1, 1.0, 1.2), ("c", "1"): gain(2.0)}
        second = {("a", "1"): gain(1.19), ("b", "1"): gain(1.21), ("c", "1"): gain(2.0), ("d", "1"): gain(1.0)}
        self.assertEqual(effects.held(first, second), {("a", "1"): True, ("b", "1"): False})

    def test_two_sweeps_are_compared(self):
        with tempfile.TemporaryDirectory() as folder:
            (pathlib.Path(folder) / "s.yaml").write_text(CONFIG)
            done = subprocess.run([STUDIES / "effects_study", "s.yaml", "--feedrate", FEEDRATE, "--out", "out"], cwd=folder,
                                  capture_output=True, text=True)
            self.assertIn(done.returncode, (0, 1), done.stderr)
            self.assertIn("of 2 effects of a second run lie within", done.stdout)


class Times(unittest.TestCase):
    def test_the_cells_that_are_measured_and_the_dataset_are_added_up(self):
        cells = [{"skip_reason": None, "estimated_seconds": 2.0}, {"skip_reason": "twice", "estimated_seconds": None}]
        self.assertEqual(times.planned_seconds({"cells": cells, "dataset_seconds": 1.0}), 3.0)
        cells.append({"skip_reason": None, "estimated_seconds": None})
        self.assertIsNone(times.planned_seconds({"cells": cells, "dataset_seconds": 1.0}))

    def test_a_factor_of_two_is_near(self):
        self.assertTrue(times.is_near(1.0, 2.0) and times.is_near(2.0, 1.0))
        self.assertFalse(times.is_near(1.0, 2.1) or times.is_near(2.1, 1.0) or times.is_near(None, 1.0))

    def test_a_plan_is_compared_with_its_sweep(self):
        with tempfile.TemporaryDirectory() as folder:
            (pathlib.Path(folder) / "s.yaml").write_text(CONFIG)
            done = subprocess.run([STUDIES / "plan_time", "s.yaml", "--feedrate", FEEDRATE, "--out", "out"], cwd=folder,
                                  capture_output=True, text=True)
            self.assertIn(done.returncode, (0, 1), done.stderr)
            self.assertRegex(done.stdout, r"s\.yaml: \d+ s, planned \d+ s .*\n[01] of 1 within a factor of 2\n")


if __name__ == "__main__":
    unittest.main()
