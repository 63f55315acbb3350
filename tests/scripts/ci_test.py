#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
""".ci/run, with stand-ins for scripts/lint, scripts/test and scripts/test_report."""
import pathlib
import re
import shutil
import subprocess
import tempfile
import unittest

RUN = pathlib.Path(__file__).parents[2] / ".ci/run"


class CiRun(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = pathlib.Path(folder.name)
        for name in (".ci", "scripts"):
            (self.root / name).mkdir()
        shutil.copy(RUN, self.root / ".ci/run")

    def run_with(self, of_lint="0", of_tests="0", of_asan="0", of_report="0"):
        self.script("lint", f"echo lint >>calls; exit {of_lint}")
        self.script("test", f'echo "$@" >>calls; [[ $* == *asan* ]] && exit {of_asan}; exit {of_tests}')
        self.script("test_report", f'echo "7 passed, 0 failed, 0 skipped"; exit {of_report}')
        done = subprocess.run(["bash", self.root / ".ci/run"], capture_output=True, text=True)
        return done, (self.root / "calls").read_text().splitlines()

    def script(self, name, text):
        path = self.root / "scripts" / name
        path.write_text(f"#!/usr/bin/env bash\n{text}\n")
        path.chmod(0o755)

    def test_runs_the_linters_the_tests_and_parsers_under_asan_where_no_skip_is_forgiven(self):
        done, calls = self.run_with()
        self.assertEqual(calls[0], "lint")
        options, left_out = calls[1].rsplit(" ", 1)
        self.assertEqual(options, "--strict -- --exclude-regex")
        for name, is_left_out in (("studies.peers", True), ("program_calibration.Calibration.", True), ("program.Run.", False),
                                  ("tuner.tuner.", False), ("studies.same_figures", False)):
            self.assertEqual(re.search(left_out, name) is not None, is_left_out, name)
        self.assertEqual(calls[2], "--strict --sanitize asan --only remote formats decode")
        self.assertEqual(len(calls), 3)
        self.assertEqual(done.returncode, 0)
        self.assertEqual(done.stdout.splitlines()[-1], "7 passed, 0 failed, 0 skipped")

    def test_goes_on_after_a_failure_and_fails(self):
        for failing in ("of_lint", "of_tests", "of_asan", "of_report"):
            done, calls = self.run_with(**{failing: "1"})
            self.assertEqual(len(calls), 3, failing)
            self.assertEqual(done.returncode, 1, failing)
            (self.root / "calls").unlink()


if __name__ == "__main__":
    unittest.main()
