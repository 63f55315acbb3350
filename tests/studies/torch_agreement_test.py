#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""studies/torch_agreement: `torch_agreement_test.py FEEDRATE`."""
import contextlib
import csv
import io
import pathlib
import subprocess
import sys
import tempfile
import time
import unittest
from unittest import mock

sys.dont_write_bytecode = True
from load_study import load_study

agreement = load_study("torch_agreement")


class Summary(unittest.TestCase):
    def test_ratios_are_averaged_by_their_logarithms(self):
        rows = [{"setting": "a", "feedrate": 200.0, "plain": 100.0}, {"setting": "a", "feedrate": 50.0, "plain": 100.0},
                {"setting": "b", "feedrate": 110.0, "plain": 100.0}]
        text = agreement.markdown(rows, "samples/s")
        self.assertIn("| a | 100 | 1.000 ± 0.693 | 0.500, 2.000 |", text)
        self.assertIn("| all | | 1.032 ± 0.401 | |", text)
        self.assertIn("1 of 2 settings within 3 %, the largest difference 10.0 %", text)


class Turns(unittest.TestCase):
    def test_let_one_program_run_at_a_time_until_feedrate_ends(self):
        programs = {engine: subprocess.Popen(["sleep", "60"]) for engine in ("feedrate", "plain")}
        for program in programs.values():
            self.addCleanup(program.wait)
            self.addCleanup(program.kill)
        with mock.patch.object(programs["feedrate"], "poll", side_effect=[None] * 4 + [0]):
            turns = agreement.take_turns(programs)
        self.assertTrue(all(turns.values()), turns)
        spans = sorted(turns["feedrate"] + turns["plain"])
        for (_, end), (begin, _) in zip(spans, spans[1:]):
            self.assertLessEqual(end, begin)
        status = pathlib.Path(f"/proc/{programs['plain'].pid}/status")
        while "State:\tT" not in status.read_text():  # waits briefly; ctest has a timeout
            time.sleep(0.01)


class Study(unittest.TestCase):
    def rows(self, *options):
        with tempfile.TemporaryDirectory() as folder, contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
            out = pathlib.Path(folder) / "study"
            arguments = ["torch_agreement", "--feedrate", FEEDRATE, "--rounds", "2", "--steps", "20", "--out", str(out), *options]
            with mock.patch.object(agreement, "SETTINGS", [{"num_workers": 1, "batch_size": 8}]), mock.patch.object(sys, "argv", arguments):
                agreement.main()
            rows = list(csv.DictReader((out / "rates.csv").read_text().splitlines()))
        self.assertEqual([(row["round"], row["setting"]) for row in rows], [("0", "num_workers=1 batch_size=8"), ("1", "num_workers=1 batch_size=8")])
        return rows

    def test_of_one_setting(self):
        for row in self.rows():
            for engine in ("plain", "feedrate"):
                self.assertGreater(float(row[engine]), 0, engine)
                self.assertLessEqual(float(row[engine]), 8 / 0.012 * (1 + 1e-6), engine)

    def test_of_a_real_network(self):
        for row in self.rows("--own-step", "--steps", "300"):
            for engine in ("plain", "feedrate"):
                self.assertGreater(float(row[engine]), 0, engine)


if __name__ == "__main__":
    try:
        import torchvision  # noqa: F401
    except ImportError as error:
        print(f"skipped: {sys.executable}: {error}; needs torch and torchvision")
        sys.exit(77)
    FEEDRATE = sys.argv.pop(1)
    unittest.main()
