#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""scripts/test_report: `test_report_test.py`."""
import pathlib
import subprocess
import sys
import tempfile
import unittest

SCRIPT = pathlib.Path(__file__).parents[2] / "scripts/test_report"
GOOGLE = "[ RUN      ] A.b\n/x/a_test.cpp:12: Skipped\n{}\n\n[  SKIPPED ] A.b (0 ms)"


def case(name, output, status="notrun"):
    return f'<testcase name="{name}" status="{status}">{"<skipped/>" if status == "notrun" else ""}<system-out>{output}</system-out></testcase>'


class TestReport(unittest.TestCase):
    def run_on(self, *cases, options=()):
        with tempfile.TemporaryDirectory() as folder:
            report = pathlib.Path(folder) / "tests.xml"
            report.write_text(f"<testsuite>{''.join(cases)}</testsuite>")
            done = subprocess.run([sys.executable, SCRIPT, *options, report], capture_output=True, text=True)
            return done.returncode, done.stdout

    def test_reasons_are_grouped_and_counted(self):
        code, text = self.run_on(case("one", GOOGLE.format("tmpfs keeps its files in memory: /tmp/a1/x")),
                                 case("two", GOOGLE.format("tmpfs keeps its files in memory: /tmp/b2/x")),
                                 case("three", "skipped: there is no Chromium; Debian has it"),
                                 case("four", "fine", status="run"))
        self.assertEqual(code, 0)
        self.assertEqual(text, "    2 skipped: tmpfs keeps its files in memory: … (one, …)\n"
                               "    1 skipped: there is no Chromium; Debian has it (three)\n"
                               "1 passed, 0 failed, 3 skipped\n")

    def test_strictly_only_what_a_machine_may_lack_is_a_reason(self):
        fine = [case("a", GOOGLE.format("no GPU here")), case("b", GOOGLE.format("this user may not mount a small disk"))]
        self.assertEqual(self.run_on(*fine, options=["--strict"])[0], 0)
        for output in (GOOGLE.format("no Python here can import torch"), "SKIPPED: python3 has no lmdb", ""):
            code, text = self.run_on(*fine, case("c", output), options=["--strict"])
            self.assertEqual(code, 1, output)
            self.assertIn("1 skipped, which is not allowed: ", text)

    def test_what_failed_is_named_with_the_end_of_its_output(self):
        code, text = self.run_on(case("one", "a\n" * 100 + "the end", status="fail"), case("two", "fine", status="run"))
        self.assertEqual(code, 1)
        self.assertIn("tests.xml: one\n", text)
        self.assertLess(text.count("  a\n"), 100)
        self.assertTrue(text.endswith("  the end\n1 passed, 1 failed, 0 skipped\n"), text)

    def test_each_case_of_a_program_counts(self):
        output = ("[ RUN      ] A.a\n[       OK ] A.a (0 ms)\n" + GOOGLE.format("no GPU here") + "\n[ RUN      ] A.c\nhere it is wrong\n"
                  "[  FAILED  ] A.c, where GetParam() = 4 (3 ms)\n[  PASSED  ] 1 test.\n[  FAILED  ] A.c, where GetParam() = 4\n")
        code, text = self.run_on(case("of.A.", output, status="fail"))
        self.assertEqual(code, 1)
        self.assertTrue(text.startswith("    1 skipped: no GPU here (A.b)\n"), text)
        self.assertIn("tests.xml: A.c\n", text)
        self.assertIn("  here it is wrong\n", text)
        self.assertTrue(text.endswith("\n1 passed, 1 failed, 1 skipped\n"), text)

    def test_a_program_that_ends_within_a_case_has_failed(self):
        code, text = self.run_on(case("of.A.", "[       OK ] A.a (0 ms)\n[ RUN      ] A.b\n", status="fail"))
        self.assertEqual(code, 1)
        self.assertTrue(text.endswith("\n1 passed, 1 failed, 0 skipped\n"), text)

    def test_a_report_that_was_not_written_has_failed(self):
        done = subprocess.run([sys.executable, SCRIPT, "nowhere/tests.xml"], capture_output=True, text=True)
        self.assertEqual(done.returncode, 1)
        self.assertTrue(done.stdout.endswith("0 passed, 1 failed, 0 skipped\n"), done.stdout)


if __name__ == "__main__":
    unittest.main()
