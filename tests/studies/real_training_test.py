#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""studies/real_training: `real_training_test.py FEEDRATE`; a small network is trained on the CPU."""
import contextlib
import io
import math
import pathlib
import subprocess
import sys
import tempfile
import unittest
from unittest import mock

sys.dont_write_bytecode = True
from load_study import load_study

real_training = load_study("real_training")


class TauB(unittest.TestCase):
    def test_is_one_of_the_same_order_and_minus_one_of_the_opposite(self):
        self.assertEqual(real_training.tau_b([1, 2, 3], [10, 20, 30]), 1.0)
        self.assertEqual(real_training.tau_b([1, 2, 3], [3, 2, 1]), -1.0)

    def test_counts_ties_by_half(self):
        self.assertAlmostEqual(real_training.tau_b([1, 1, 2], [1, 2, 3]), 2 / math.sqrt(6))
        self.assertTrue(math.isnan(real_training.tau_b([1, 1], [1, 2])))


def cell(workers, rate, engine="", emulate="", **more):
    return {"num_workers": str(workers), "pin_memory": "False", "non_blocking": "false", "samples_per_second": str(rate),
            "engine": engine, "emulate": emulate, **more}


class Agreement(unittest.TestCase):
    REAL = [cell(1, 90), cell(1, 110), cell(2, 150), cell(4, 200)]

    def test_is_of_each_engine(self):
        cells = [cell(1, 100, "native"), cell(2, 300, "native"), cell(4, 200, "native"),
                 cell(1, 100, "torch"), cell(2, 150, "torch"), cell(4, 200, "torch"), cell(8, "", "torch")]
        lines = real_training.agree(self.REAL, cells).splitlines()
        self.assertEqual(lines[2], "| native | 3 | 0.33 | 25.0 % | 0.0 % | 50.0 % |")
        self.assertEqual(lines[3], "| torch | 3 | 1.00 | 0.0 % | 0.0 % | 0.0 % |")

    def test_needs_three_settings(self):
        with self.assertRaises(SystemExit):
            real_training.agree(self.REAL, [cell(1, 100, "native"), cell(2, 100, "native")])


class Study(unittest.TestCase):
    def test_trains_and_makes_the_sweep_of_it(self):
        with tempfile.TemporaryDirectory() as name, contextlib.redirect_stdout(io.StringIO()):
            folder = pathlib.Path(name)
            subprocess.run([FEEDRATE, "data", "make", folder / "images", "--count", "40"], check=True, capture_output=True)
            arguments = ["real_training", "train", str(folder / "images"), str(folder / "out"), "--device", "cpu", "--model",
                         "squeezenet1_1", "--size", "32", "--batch-size", "2", "--workers", "1", "--steps", "2", "--seconds", "0",
                         "--trace"]
            with mock.patch.object(sys, "argv", arguments):
                real_training.main()
            rows = real_training.read(folder / "out/real.csv")
            self.assertEqual({tuple(row[knob] for knob in real_training.KNOBS) for row in rows},
                             {("1", "False", "False"), ("1", "True", "False"), ("1", "True", "True")})
            for row in rows:
                self.assertGreater(float(row["samples_per_second"]), 0)
                self.assertLessEqual(float(row["wait_time"]), float(row["step_time"]))
            self.assertTrue((folder / "out/resnet50.pt.trace.json.gz").stat().st_size > 0)
            done = subprocess.run([FEEDRATE, "plan", folder / "out/sweep.yaml", "--device", "sim:h200"], capture_output=True, text=True)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertIn("3 cells to measure, 1 skipped", done.stdout)


if __name__ == "__main__":
    try:
        import torchvision  # noqa: F401
    except ImportError as error:
        print(f"skipped: {sys.executable}: {error}; needs torch and torchvision")
        sys.exit(77)
    FEEDRATE = sys.argv.pop(1)
    unittest.main()
