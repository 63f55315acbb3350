"""scripts/peers with stand-ins for feedrate and for Python: what it computes, tells, and leaves out."""
from __future__ import annotations

import csv
import math
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "bench"))

from peers import machine, ratios  # noqa: E402
from stand_ins import write_feedrate, write_python  # noqa: E402


class Ratios(unittest.TestCase):
    def test_an_estimate_is_the_geometric_mean(self):
        self.assertAlmostEqual(ratios.estimate([1.0, 4.0]).value, 2.0)

    def test_its_interval_is_students_of_the_logarithms(self):
        found = ratios.estimate([1.0, math.e**2])  # logarithms 0 and 2: mean 1, deviation √2, of the mean 1
        self.assertAlmostEqual(found.low, math.exp(1 - 12.706))
        self.assertAlmostEqual(found.high, math.exp(1 + 12.706))

    def test_one_round_has_no_interval(self):
        self.assertIsNone(ratios.estimate([3.0]).low)

    def test_no_round_has_no_estimate(self):
        self.assertIsNone(ratios.estimate([]))

    def test_quotients_are_of_rounds_that_both_have(self):
        self.assertEqual(ratios.quotients({1: 6.0, 2: 8.0, 4: 1.0}, {1: 3.0, 2: 2.0, 3: 9.0}), [2.0, 4.0])

    def test_a_target_is_missed_met_or_met_as_aimed(self):
        target = ratios.Target(2.0, 3.0)
        verdicts = [target.verdict(ratios.Estimate(value, value, value, 5)) for value in (1.9, 2.1, 3.1)]
        self.assertEqual(verdicts, ["missed", "met", "aim met"])

    def test_of_an_upper_limit_less_is_better(self):
        target = ratios.Target(5.0, 1.0, at_most=True)
        verdicts = [target.verdict(ratios.Estimate(value, value, value, 5)) for value in (6.0, 2.0, 0.5)]
        self.assertEqual(verdicts, ["missed", "met", "aim met"])

    def test_a_verdict_doubts_where_the_interval_holds_the_limit(self):
        self.assertEqual(ratios.Target(2.0, 3.0).verdict(ratios.Estimate(2.1, 1.9, 2.3, 5)), "met, not sure")


class Cpus(unittest.TestCase):
    def test_what_our_children_use_is_not_foreign(self):
        meter = machine.CpuMeter()
        own = machine._own_seconds()
        subprocess.run([sys.executable, "-c", "sum(range(10**7))"], check=True)
        self.assertGreater(machine._own_seconds(), own)
        self.assertGreaterEqual(meter.foreign(), 0.0)


class Studies(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.out = self.folder / "out"

    def words(self, *more, feedrate=None, python=None):
        feedrate = feedrate or write_feedrate(self.folder / "feedrate")
        python = python or write_python(self.folder / "python")
        fixed = ["--feedrate", feedrate, "--python", python, "--out", self.out, "--foreign", "1e9", "--seconds", "0.01"]
        return [sys.executable, ROOT / "scripts" / "peers", *map(str, [*fixed, *more])]

    def run_study(self, *more, **programs):
        return subprocess.run(self.words(*more, **programs), capture_output=True, text=True, encoding="utf-8")

    def test_a_target_is_held_against_the_quotient_of_both(self):
        done = self.run_study("--only", "jpeg", "--workers", "2", "--rounds", "2")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("| JPEG pipeline, files, W=2, against PyTorch + Pillow | 3,000/s | 1,000/s | 3× | 3× to 3× | 2.4× | 2.8× | aim met |", done.stdout)

    def test_every_measurement_is_a_line_with_its_round(self):
        self.run_study("--only", "scaling", "--rounds", "2")
        with (self.out / "peers.csv").open(newline="") as file:
            lines = list(csv.DictReader(file))
        self.assertEqual(sorted(line["round"] for line in lines), ["0"] * 4 + ["1"] * 4 + ["2"] * 4)
        self.assertEqual({line["outcome"] for line in lines if line["round"] != "0"}, {"ok"})

    def test_the_overhead_is_what_the_stages_leave_of_a_step(self):
        self.assertIn("| 6 µs |", self.run_study("--only", "overhead", "--rounds", "1").stdout)

    def test_a_peer_that_is_not_installed_is_named_with_how_to_install_it(self):
        python = write_python(self.folder / "python", lacks=("ffcv",))
        done = self.run_study("--only", "arrays", "--rounds", "1", python=python)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("not installed (ffcv: ModuleNotFoundError: no ffcv)", done.stdout)
        self.assertIn("pip install ffcv", done.stdout)
        self.assertIn("Not of this run: 308,785/s on 2026-11-21", done.stdout)
        self.assertIn("| PyTorch, HDF5, h5py |", done.stdout)

    def test_the_second_python_serves_what_the_first_lacks(self):
        first = write_python(self.folder / "first", lacks=("spdl", "ffcv"))
        second = write_python(self.folder / "python")
        done = self.run_study("--only", "arrays", "--rounds", "1", "--python", second, python=first)
        self.assertNotIn("## Absent", done.stdout)

    def test_a_peer_that_fails_is_absent_with_its_last_words(self):
        python = write_python(self.folder / "python", fails=("torch_transport.py",))
        done = self.run_study("--only", "transport", "--rounds", "1", python=python)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("it fell over", done.stdout)

    def test_a_cell_that_failed_says_why(self):
        feedrate = write_feedrate(self.folder / "feedrate", outcome="failed", reason="no such thing")
        self.assertIn("failed: no such thing", self.run_study("--only", "scaling", "--rounds", "1", feedrate=feedrate).stdout)

    def test_what_is_disturbed_is_taken_again_and_not_counted(self):
        done = self.run_study("--only", "scaling", "--rounds", "1", "--foreign", "1e-12", "--attempts", "2")
        with (self.out / "peers.csv").open(newline="") as file:
            lines = [line for line in csv.DictReader(file) if line["round"] == "1"]

        def who(line):
            return line["row"], line["contestant"], line["workers"]

        for one in set(map(who, lines)):
            outcomes = [line["outcome"] for line in lines if who(line) == one]
            # A machine may do nothing else for a moment.
            self.assertIn(outcomes, (["ok"], ["disturbed", "ok"], ["disturbed", "disturbed"]))
        self.assertEqual(done.returncode, 0, done.stderr)

    def test_the_configurations_stay_to_be_run_by_hand(self):
        self.run_study("--only", "scaling", "--rounds", "1")
        text = (self.out / "configs" / "jpeg-feedrate-files-w-2.yaml").read_text()
        self.assertIn('dataset: {path: "data/jpeg"}', text)
        self.assertIn("num_workers: 2, shuffle: true, transport: ring}", text)

    def test_a_folder_that_holds_a_study_is_refused(self):
        self.run_study("--only", "scaling", "--rounds", "1")
        again = self.run_study("--only", "scaling", "--rounds", "1")
        self.assertEqual(again.returncode, 1)
        self.assertIn("holds a study already", again.stderr)

    def test_an_interrupt_keeps_what_is_known(self):
        process = subprocess.Popen(
            self.words("--only", "scaling", "--rounds", "100000"), stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True
        )
        for line in process.stderr:
            if line.startswith("[round 2 "):
                process.send_signal(signal.SIGINT)
                break
        process.stderr.read()
        self.assertEqual(process.wait(), 130)
        process.stderr.close()
        self.assertIn("scaling W=1 to W=2, JPEG files", (self.out / "summary.md").read_text(encoding="utf-8"))

    def test_rows_are_listed_without_any_program(self):
        done = subprocess.run([sys.executable, ROOT / "scripts" / "peers", "--list"], capture_output=True, text=True)
        self.assertIn("transport", done.stdout)


class RawReader(unittest.TestCase):
    def test_it_reads_every_place_by_both_ways(self):
        compiler = os.environ.get("CC", "cc")
        with tempfile.TemporaryDirectory() as folder:
            program, file = pathlib.Path(folder, "raw_read"), pathlib.Path(folder, "file")
            source = ROOT / "bench" / "peers" / "loaders" / "raw_read.c"
            try:
                subprocess.run([compiler, "-std=gnu11", "-O2", "-Wall", "-Werror", "-o", program, source], check=True)
            except FileNotFoundError:
                self.skipTest(f"no C compiler: {compiler}")
            file.write_bytes(b"x" * 10000)
            for mode in ("pread", "memcpy"):
                done = subprocess.run([program, mode, file, "0.01"], input="0 10\n9000 1000\n", capture_output=True, text=True)
                self.assertIn('"value"', done.stdout, done.stderr)
            beyond = subprocess.run([program, "pread", file, "0.01"], input="9000 1001\n", capture_output=True, text=True)
            self.assertEqual(beyond.returncode, 1)


if __name__ == "__main__":
    unittest.main()
