#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""scripts/gpu_check as in the bundle, with fake programs that record their arguments and print what the test sets."""
import os
import pathlib
import shutil
import subprocess
import tarfile
import tempfile
import unittest

SCRIPT = pathlib.Path(__file__).parents[2] / "scripts/gpu_check"
USABLE = {
    "cupti": "/opt/cuda/libcupti.so.13: records",
    "cublaslt": "/opt/cuda/libcublasLt.so.13",
    "nvjpeg": "/opt/torchvision.libs/libnvjpeg.70530407.so.13",
    "nvml": "libnvidia-ml.so.1: driver 580.65.06",
}
PASSED = "[       OK ] a_test\n[  PASSED  ] 1 test.\n"

# Files in $FAKES: asked (commands, in order), env (feedrate's output), contract (device_test's output).
FEEDRATE = """#!/bin/sh
echo "feedrate $*" >>"$FAKES/asked"
case $1 in
  env) [ -s "$FAKES/env" ] || kill -SEGV $$; cat "$FAKES/env" ;;
  calibrate) while [ "$1" != --out ]; do shift; done; echo made >"$2" ;;
esac
"""
DEVICE_TEST = """#!/bin/sh
echo "device_test $* on GPU '$FEEDRATE_TEST_GPU'" >>"$FAKES/asked"
cat "$FAKES/contract"
"""
# Uses no clock: a command that $TIMES_OUT names times out, and one that $LAST names kills the script, as the end of a batch job does.
TIMEOUT = """#!/bin/bash
[[ $1 != --* ]] || shift
echo "limit $*" >>"$FAKES/asked"
[[ -z $TIMES_OUT || "$*" != *"$TIMES_OUT"* ]] || exit 124
[[ -z $LAST || "$*" != *"$LAST"* ]] || { kill -KILL $PPID; exit 1; }
shift
exec "$@"
"""
PYTHON = """#!/bin/bash
[[ $2 != train ]] || { mkdir -p "$4" && echo made | tee "$4/sweep.yaml" >"$4/real.csv"; }
"""


class GpuCheck(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = pathlib.Path(folder.name)
        (self.root / "bin").mkdir()
        (self.root / "fakes").mkdir()
        shutil.copy(SCRIPT, self.root / "gpu_check")
        self.program("bin/feedrate", FEEDRATE)
        self.program("bin/device_test", DEVICE_TEST)
        self.program("agreement", "#!/bin/sh\n")
        self.program("fakes/timeout", TIMEOUT)
        self.program("fakes/python", PYTHON)
        for name in ("nvidia-smi", "compute-sanitizer"):
            self.program(f"fakes/{name}", "#!/bin/sh\n")
        (self.root / "fakes/contract").write_text(PASSED)
        self.answer(**USABLE)

    def program(self, name, text):
        path = self.root / name
        path.write_text(text)
        path.chmod(0o755)

    def answer(self, **libraries):
        (self.root / "fakes/env").write_text("".join(f"{name:<20} {answer}\n" for name, answer in libraries.items()))

    def check(self, *arguments, python="false", **variables):
        (self.root / "fakes/asked").write_text("")
        fakes = self.root / "fakes"
        environment = {**os.environ, "PATH": f"{fakes}:{os.environ['PATH']}", "FAKES": str(fakes), "TIMES_OUT": "", "LAST": "",
                       "FEEDRATE_PYTHON": python, **variables}
        return subprocess.run([self.root / "gpu_check", *arguments, self.root / "out"], cwd=self.root, env=environment,
                              capture_output=True, text=True)

    def asked(self, start):
        return [line for line in (self.root / "fakes/asked").read_text().splitlines() if line.startswith(start)]

    def archived(self, name):
        with tarfile.open(self.root / "out.tar.gz") as archive:
            return archive.extractfile(f"out/{name}").read().decode()

    def assert_fails(self, steps, done):
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertIn(f"failed: {steps}; see ", done.stdout.splitlines()[-1])
        self.assertEqual(self.archived("summary.txt").splitlines()[-1], f"failed: {steps}")

    def test_passes_where_all_is_well_and_says_so_last(self):
        done = self.check()
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertTrue(done.stdout.splitlines()[-1].startswith("all passed; see "), done.stdout)
        self.assertEqual(self.archived("summary.txt").splitlines()[-1], "all passed")

    def test_does_not_ask_a_gpu_what_only_a_machine_without_one_can_show(self):
        self.check()
        wanted, unwanted = self.asked("device_test")[0].split("=")[1].split(" ")[0].split("-")
        self.assertIn("*cuda*", wanted.split(":"))
        self.assertIn("*opening_without_a_device_reports_the_probes_reason*", unwanted.split(":"))

    def test_that_test_is_there_to_be_left_out(self):
        source = SCRIPT.parents[1] / "tests/device/cuda/cuda_device_test.cpp"
        self.assertIn("opening_without_a_device_reports_the_probes_reason", source.read_text())

    def test_holds_the_gpu_that_is_named_to_the_contract(self):
        self.check("--device", "cuda:1")
        self.assertEqual({line.split(" on ")[1] for line in self.asked("device_test")}, {"GPU '1'"})
        self.assertTrue(all("--device cuda:1" in line for line in self.asked("feedrate calibrate")))

    def test_a_test_that_was_skipped_or_a_filter_that_fits_none_has_shown_nothing(self):
        for answer in ("[  SKIPPED ] a_test\n" + PASSED, "[  PASSED  ] 0 tests.\n"):
            (self.root / "fakes/contract").write_text(answer)
            self.assert_fails("contract nvjpeg", self.check())

    def test_measures_rates_without_a_tracer_before_it_traces(self):
        self.check()
        traced = ["--trace" in line for line in self.asked("feedrate sweep") if "pinning.yaml" in line]
        self.assertEqual(traced[:2], [False, True])

    def test_a_step_that_times_out_fails_by_name_and_costs_no_other(self):
        self.assert_fails("pinning", self.check(TIMES_OUT="pinning.yaml --device cuda --cell-timeout 30s --force --out "
                                                f"{self.root}/out/pinning"))
        self.assertIn("pinning: timed out", self.archived("summary.txt"))
        self.assertIn("decoding: passed", self.archived("summary.txt"))

    def test_the_archive_holds_what_is_known_when_the_job_ends(self):
        self.check(TIMES_OUT="--repeats 2", LAST="--trace")
        self.assertIn("pinning: timed out", self.archived("summary.txt"))
        self.assertIn("feedrate sweep", self.archived("pinning.txt"))

    def test_a_library_that_is_missing_or_does_not_work_fails_by_name(self):
        for name, answer in (
                ("cupti", "libcupti.so.13, libcupti.so: not found in the library path; set FEEDRATE_CUPTI_PATH to its location"),
                ("cupti", "libcupti.so.13: loaded, but cannot trace: cuptiActivityEnable(MEMCPY): error (1)"),
                ("cupti", "libcupti.so.13: loaded, but its clock can be neither set nor read"),
                ("cupti", "keeps CUPTI busy for more than 20 s"),
                ("cublaslt", "cuBLASLt, which trainer gemm and cnn need: libcublasLt.so.13: not found in the library path"),
                ("cublaslt", "libcublasLt.so.13: lacks cublasLtMatmul; it is too old"),
                ("cublaslt", "crashes cuBLASLt (SIGSEGV)"),
                ("nvml", "libnvidia-ml.so.1: not found in the library path"),
                ("nvml", "libnvidia-ml.so.1"),
                ("nvml", "uses more than 60 s of CPU time, or all memory, in NVML")):
            with self.subTest(answer):
                self.answer(**{**USABLE, name: answer})
                self.assert_fails(name, self.check())
                self.assertIn(answer, self.archived(f"{name}.txt"))

    def test_nvjpeg_may_be_missing_but_not_crash(self):
        self.answer(**{**USABLE, "nvjpeg": "nvJPEG, which decoder nvjpeg needs: libnvjpeg.so.13: not found in the library path"})
        self.assertEqual(self.check().returncode, 0)
        self.assertIn("nvjpeg: left out", self.archived("summary.txt"))
        self.answer(**{**USABLE, "nvjpeg": "crashes nvJPEG (SIGSEGV)"})
        self.check()
        self.assertIn("*DeviceJpeg*/cuda", self.asked("device_test")[1])

    def test_an_env_that_crashes_does_not_end_the_check(self):
        (self.root / "fakes/env").write_text("")
        self.assert_fails("machine cupti cublaslt nvml", self.check())
        self.assertIn("pinning: passed", self.archived("summary.txt"))

    def test_no_step_gets_more_than_is_left(self):
        self.check("--seconds", "40")
        limits = [int(line.split()[1]) for line in self.asked("limit") if "import torch" not in line]
        self.assertGreater(len(limits), 5)
        self.assertLessEqual(max(limits), 40)

    def test_a_step_without_time_is_left_out_by_name(self):
        self.assert_fails("machine contract nvjpeg cupti cublaslt nvml calibrate pinning traced decoding memcheck",
                          self.check("--seconds", "0"))
        self.assertIn("pinning: left out: no time", self.archived("summary.txt"))
        self.assertEqual(self.asked("feedrate") + self.asked("device_test"), [])

    def test_a_whole_training_gives_each_cell_time_for_its_jpegs(self):
        done = self.check("--full", python=str(self.root / "fakes/python"))
        self.assertEqual(done.returncode, 0, done.stderr)
        sweeps = {line.split("--out ")[1].split()[0].split("/")[-1]: line for line in self.asked("feedrate sweep")}
        for name in ("engines", "emulated", "course-native", "course-torch"):
            self.assertIn("--cell-timeout 90s", sweeps[name])
        self.assertIn("--steps 20", sweeps["engines"])
        self.assertIn("own-step.yaml --device cuda", sweeps["own-step"])
        self.assertTrue(any(line.startswith("limit 300 ") and "out/engines" in line for line in self.asked("limit")))

    def test_a_rehearsal_needs_no_library(self):
        self.answer()
        (self.root / "fakes/env").write_text("cuda no\n")
        done = self.check("--device", "sim:h200", python=str(self.root / "fakes/python"))
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertFalse([line for line in self.asked("feedrate sweep") if "own-step" in line])

    def test_refuses_what_it_does_not_know(self):
        for arguments in (["--fast"], ["--seconds", "soon"], ["--device"]):
            self.assertNotIn(self.check(*arguments).returncode, (0, 1), arguments)


if __name__ == "__main__":
    unittest.main()
