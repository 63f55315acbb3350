# SPDX-License-Identifier: Apache-2.0
"""studies/peers/race with stand-ins for feedrate and for Python: its computations, its output, and what it leaves out."""
from __future__ import annotations

import contextlib
import csv
import io
import math
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import unittest
from unittest import mock

STUDIES = pathlib.Path(__file__).resolve().parents[3] / "studies"
sys.path.insert(0, str(STUDIES))

from peers import field_tools, machine, ratios, tools  # noqa: E402
from peers.contestants import Contestant  # noqa: E402
from peers.study import Options, Study  # noqa: E402
from stand_ins import write_feedrate, write_python  # noqa: E402


class Ratios(unittest.TestCase):
    def test_a_mean_takes_what_is_below_zero_too(self):
        found = ratios.mean([-1.0, 3.0])  # deviation 2√2, of the mean 2
        self.assertAlmostEqual(found.value, 1.0)
        self.assertAlmostEqual(found.low, 1.0 - 2 * 12.706)
        self.assertAlmostEqual(found.high, 1.0 + 2 * 12.706)

    def test_of_quotients_the_mean_is_geometric(self):
        self.assertAlmostEqual(ratios.geometric_mean([1.0, 4.0]).value, 2.0)

    def test_its_interval_is_students_of_the_logarithms(self):
        found = ratios.geometric_mean([1.0, math.e**2])  # logarithms 0 and 2: mean 1, deviation √2, of the mean 1
        self.assertAlmostEqual(found.low, math.exp(1 - 12.706))
        self.assertAlmostEqual(found.high, math.exp(1 + 12.706))

    def test_one_round_has_no_interval(self):
        self.assertIsNone(ratios.geometric_mean([3.0]).low)

    def test_no_round_has_no_mean(self):
        self.assertIsNone(ratios.mean([]))
        self.assertIsNone(ratios.geometric_mean([]))

    def test_quotients_are_of_rounds_that_both_have(self):
        self.assertEqual(ratios.quotients({1: 6.0, 2: 8.0, 4: 1.0}, {1: 3.0, 2: 2.0, 3: 9.0}), [2.0, 4.0])

    def test_a_target_is_missed_or_met_or_its_goal_is_met(self):
        target = ratios.Target(2.0, 3.0)
        verdicts = [target.verdict(ratios.Estimate(value, value, value, 5)) for value in (1.9, 2.1, 3.1)]
        self.assertEqual(verdicts, ["missed", "met", "goal met"])

    def test_of_an_upper_limit_less_is_better(self):
        target = ratios.Target(5.0, 1.0, at_most=True)
        verdicts = [target.verdict(ratios.Estimate(value, value, value, 5)) for value in (6.0, 2.0, 0.5)]
        self.assertEqual(verdicts, ["missed", "met", "goal met"])

    def test_a_verdict_is_not_sure_if_the_interval_contains_the_limit(self):
        self.assertEqual(ratios.Target(2.0, 3.0).verdict(ratios.Estimate(2.1, 1.9, 2.3, 5)), "met, not sure")


    def test_two_ways_agree_within_a_share_either_way(self):
        verdicts = [ratios.Agreement(0.1).verdict(ratios.Estimate(value, value, value, 5)) for value in (0.90, 0.92, 1.09, 1.11)]
        self.assertEqual(verdicts, ["differ", "agree", "agree", "differ"])


class FieldTools(unittest.TestCase):
    def test_fio_answers_after_what_it_has_to_note(self):
        out = 'note: both iodepth >= 1 and synchronous I/O engine\n{"jobs": [{"read": {"bw_bytes": 1234567, "iops": 3.5}}]}'
        self.assertEqual(field_tools.bytes_per_second(out), 1234567.0)

    def test_of_tjbench_the_last_rate_counts(self):
        out = "Image size: 500 x 375\nDecompress    -->   Frame rate:         712.345678 fps\n  Throughput:  133.5 Megapixels/sec\n"
        self.assertEqual(field_tools.images_per_second(out), 712.345678)

    def test_an_invalid_answer_is_reported(self):
        for read in (field_tools.bytes_per_second, field_tools.images_per_second):
            with self.assertRaisesRegex(tools.Failed, "no such file"):
                read("no such file")


    def test_the_file_that_is_read_is_whole_and_goes_away(self):
        with tempfile.TemporaryDirectory() as folder:
            with field_tools.new_file(pathlib.Path(folder, "file"), 2 << 20) as file:
                self.assertEqual(file.stat().st_size, 2 << 20)
            self.assertFalse(file.exists())


class Cpus(unittest.TestCase):
    @staticmethod
    def foreign(counted, storage=({}, {})):
        """The foreign share if 3 of 4 busy seconds are ours, and two CPUs together have 10 s."""
        machine_seconds = mock.patch("peers.machine._machine_seconds", side_effect=[(10.0, 100.0), (14.0, 110.0)])
        own_seconds = mock.patch("peers.machine._own_seconds", side_effect=[1.0, 4.0])
        storage_seconds = mock.patch("peers.machine._storage_seconds", side_effect=storage)
        with machine_seconds, own_seconds, storage_seconds, mock.patch("os.cpu_count", return_value=2):
            return machine.CpuMeter().foreign(counted)

    def test_what_is_ours_is_not_foreign(self):
        self.assertAlmostEqual(self.foreign(5.0), 0.1)

    def test_a_long_start_does_not_dilute_what_others_take(self):
        self.assertAlmostEqual(self.foreign(1.0), 0.5)

    def test_a_measurement_that_ends_early_is_taken_as_it_is(self):
        self.assertAlmostEqual(self.foreign(100.0), 0.1)

    def test_the_kernels_work_for_storage_is_not_foreign(self):
        old, new, ended = ("2", "1"), ("9", "70"), ("5", "1")
        self.assertAlmostEqual(self.foreign(5.0, ({old: 3.0, ended: 1.0}, {old: 3.5, new: 0.25})), 0.025)

    def test_a_storage_thread_is_known_by_its_name_and_that_it_is_the_kernels(self):
        def stat(name, flags):
            return f"17 ({name}) I 2 0 0 0 -1 {flags} 0 0 0 0 30 70 0 0 20 0 1 0 4711 0 0\n"

        seconds = 100 / os.sysconf("SC_CLK_TCK")
        self.assertEqual(machine.storage_thread(stat("kworker/0:1H-kblockd", 0x4208060)), (("17", "4711"), seconds))
        self.assertEqual(machine.storage_thread(stat("jbd2/vda-8", 0x200000)), (("17", "4711"), seconds))
        self.assertIsNone(machine.storage_thread(stat("kworker/0:1", 0x400100)))
        self.assertIsNone(machine.storage_thread(stat("rcu_preempt", 0x200000)))
        self.assertIsNone(machine.storage_thread(stat("a (b) c", 0)))

    @unittest.skipUnless(pathlib.Path("/proc/2/stat").exists(), "no kernel threads are seen in this container")
    def test_storage_threads_are_found_here(self):
        self.assertTrue(any("kworker" in path.read_text() for path in pathlib.Path("/proc").glob("[0-9]*/comm")))
        self.assertTrue(machine._storage_seconds())

    def test_ours_are_the_children_that_have_ended(self):
        own = machine._own_seconds()
        subprocess.run([sys.executable, "-c", "sum(range(10**7))"], check=True)
        self.assertGreater(machine._own_seconds(), own)


class Loaders(unittest.TestCase):
    def test_workers_are_our_own_descendants(self):
        """Workers of a fork server, Python's default since 3.14, are no descendants, so their CPU time would not be counted."""
        scripts = [script for script in machine.LOADERS.glob("*.py") if "DataLoader(" in script.read_text()]
        self.assertGreater(len(scripts), 3)
        for script in scripts:
            self.assertIn('multiprocessing_context="fork"', script.read_text(), script.name)


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
        return [sys.executable, STUDIES / "peers/race", *map(str, [*fixed, *more])]

    def run_study(self, *more, **programs):
        return subprocess.run(self.words(*more, **programs), capture_output=True, text=True, encoding="utf-8")

    def test_a_target_is_compared_with_the_quotient_of_both(self):
        done = self.run_study("--only", "jpeg", "--workers", "2", "--rounds", "2")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("| JPEG pipeline, files, W=2, against PyTorch + Pillow | 3,000/s | 1,000/s | 3× | 3× to 3× | 2.4× | 2.8× | goal met |", done.stdout)

    def test_every_measurement_is_a_line_with_its_round(self):
        self.run_study("--only", "scaling", "--rounds", "2")
        with (self.out / "peers.csv").open(newline="") as file:
            lines = list(csv.DictReader(file))
        self.assertEqual(sorted(line["round"] for line in lines), ["0"] * 4 + ["1"] * 4 + ["2"] * 4)
        self.assertEqual({line["outcome"] for line in lines if line["round"] != "0"}, {"ok"})

    def test_the_overhead_is_what_the_stages_leave_of_a_step_or_what_asking_takes(self):
        summary = self.run_study("--only", "overhead", "--rounds", "1").stdout
        self.assertRegex(summary, r"marks and statistics \| 6 µs \|")
        self.assertRegex(summary, r"a batch that is ready \| 4 µs \|")

    def test_a_peer_that_is_not_installed_is_named_with_how_to_install_it(self):
        python = write_python(self.folder / "python", lacks=("ffcv",))
        done = self.run_study("--only", "arrays", "--rounds", "1", python=python)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("not installed (ffcv: ModuleNotFoundError: no ffcv)", done.stdout)
        self.assertIn("pip install ffcv", done.stdout)
        self.assertIn("| PyTorch, HDF5, h5py |", done.stdout)

    def test_the_second_python_serves_what_the_first_lacks(self):
        first = write_python(self.folder / "first", lacks=("spdl", "ffcv"))
        second = write_python(self.folder / "python")
        done = self.run_study("--only", "arrays", "--rounds", "1", "--python", second, python=first)
        self.assertNotIn("## Absent", done.stdout)

    def test_a_peer_that_fails_is_absent_with_its_last_words(self):
        python = write_python(self.folder / "python", fails=("torch_start_up.py",))
        done = self.run_study("--only", "start-up", "--rounds", "1", python=python)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("it fell over", done.stdout)

    def test_a_cell_that_failed_says_why(self):
        feedrate = write_feedrate(self.folder / "feedrate", outcome="failed", reason="no such thing")
        self.assertIn("failed: no such thing", self.run_study("--only", "scaling", "--rounds", "1", feedrate=feedrate).stdout)

    def test_an_invalid_answer_does_not_affect_other_contestants(self):
        feedrate = write_feedrate(self.folder / "feedrate", limits={})
        done = self.run_study("--only", "efficiency", "--rounds", "1", feedrate=feedrate)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("KeyError: 'limits'", done.stdout)
        self.assertIn("3,000/s", done.stdout)

    def test_without_a_format_only_who_reads_it_is_absent(self):
        feedrate = write_feedrate(self.folder / "feedrate", converts=False)
        done = self.run_study("--only", "png", "--workers", "2", "--rounds", "1", feedrate=feedrate)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertRegex(done.stdout, "- png: feedrate, tar, W=2: .*convert .*exit 1: no room; .* GB are free")
        self.assertIn("| feedrate, files | 3,000/s |", done.stdout)

    def test_the_trial_alone_says_who_is_absent(self):
        python = write_python(self.folder / "python", lacks=("ffcv",))
        done = self.run_study("--only", "arrays", "--rounds", "0", python=python)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("not installed (ffcv", done.stdout)
        with (self.out / "peers.csv").open(newline="") as file:
            self.assertEqual({line["outcome"] for line in csv.DictReader(file)}, {"trial"})

    def test_the_configurations_stay_to_be_run_by_hand(self):
        self.run_study("--only", "scaling", "--rounds", "1")
        text = (self.out / "configs" / "jpeg-feedrate-files-w-2.yaml").read_text()
        self.assertIn('dataset: {path: "data/2000-jpeg"', text)
        self.assertIn("num_workers: 2, shuffle: true}", text)

    def test_a_folder_that_holds_a_study_is_refused(self):
        self.run_study("--only", "scaling", "--rounds", "1")
        again = self.run_study("--only", "scaling", "--rounds", "1")
        self.assertEqual(again.returncode, 1)
        self.assertIn("is not empty", again.stderr)

    def test_files_of_the_user_are_not_touched(self):
        (self.out / "sweep").mkdir(parents=True)
        (self.out / "sweep" / "mine").write_text("dear to me")
        self.assertEqual(self.run_study("--only", "scaling", "--rounds", "1").returncode, 1)
        self.assertEqual((self.out / "sweep" / "mine").read_text(), "dear to me")

    def test_datasets_of_two_sizes_have_different_names(self):
        data = self.folder / "data"
        self.run_study("--only", "scaling", "--rounds", "0", "--data", data)
        self.out = self.folder / "again"
        self.run_study("--only", "scaling", "--rounds", "0", "--data", data, "--jpegs", "10")
        self.assertEqual({path.name for path in data.iterdir()}, {"2000-jpeg", "10-jpeg", "20000-png"})

    def test_an_interrupt_keeps_what_is_known(self):
        process = subprocess.Popen(
            self.words("--only", "scaling", "--rounds", "100000"), stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True
        )
        for line in process.stderr:
            if line.startswith("[round 2 "):
                process.send_signal(signal.SIGINT)
                break
        rest = process.stderr.read()
        self.assertEqual(process.wait(), 130, rest)
        process.stderr.close()
        self.assertIn("scaling W=1 to W=2, JPEG files", (self.out / "summary.md").read_text(encoding="utf-8"))

    def test_rows_are_listed_without_any_program(self):
        done = subprocess.run([sys.executable, STUDIES / "peers/race", "--list"], capture_output=True, text=True)
        self.assertIn("start-up", done.stdout)


class Way:
    def __init__(self, *values):
        self._values = iter(values)

    def why_not(self, tools):
        return ""

    def measure(self, tools, name, seconds, guess):
        return next(self._values)


class Rounds(unittest.TestCase):
    def test_what_is_disturbed_is_taken_again_and_not_counted(self):
        someone = Contestant("png", "someone", 1, "samples/s", Way(1.0, 2.0, 3.0))
        with tempfile.TemporaryDirectory() as folder, mock.patch("peers.study.CpuMeter") as meter:
            meter.return_value.foreign.side_effect = [0.5, 0.5, 0.0]  # the trial is not checked
            study = Study(mock.Mock(), [someone], Options(1, 0.01, 0.05, 4, 0), pathlib.Path(folder, "peers.csv"))
            with contextlib.redirect_stderr(io.StringIO()):
                study.run(lambda: None)
        self.assertEqual([one.outcome for one in study.measurements], ["trial", "disturbed", "ok"])
        self.assertEqual(study.values(someone), {1: 3.0})


class RawReader(unittest.TestCase):
    def test_it_reads_every_record_in_both_ways(self):
        compiler = os.environ.get("CC", "cc")
        with tempfile.TemporaryDirectory() as folder:
            program, file = pathlib.Path(folder, "raw_read"), pathlib.Path(folder, "file")
            source = STUDIES / "peers/loaders/raw_read.c"
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


class RawBlocks(unittest.TestCase):
    def test_they_are_read_in_order_and_not(self):
        compiler = os.environ.get("CC", "cc")
        with tempfile.TemporaryDirectory() as folder:
            program, file = pathlib.Path(folder, "raw_pread"), pathlib.Path(folder, "file")
            source = STUDIES / "peers/loaders/raw_pread.c"
            try:
                subprocess.run([compiler, "-std=gnu11", "-O2", "-Wall", "-Wextra", "-Werror", "-o", program, source], check=True)
            except FileNotFoundError:
                self.skipTest(f"no C compiler: {compiler}")
            file.write_bytes(b"x" * 10000)
            for order in ("read", "randread"):
                done = subprocess.run([program, order, file, "4096", "0.01"], capture_output=True, text=True)
                self.assertIn('"value"', done.stdout, done.stderr)
            beyond = subprocess.run([program, "read", file, "10001", "0.01"], capture_output=True, text=True)
            self.assertEqual(beyond.returncode, 1)


if __name__ == "__main__":
    unittest.main()
