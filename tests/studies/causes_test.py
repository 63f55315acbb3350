# SPDX-License-Identifier: Apache-2.0
"""studies/causes: truth.csv agrees with the scripts, and the check contradicts figures that do not."""
import collections
import re
import sys
import tempfile
import unittest
from pathlib import Path

sys.dont_write_bytecode = True
from load_study import STUDIES, load_study

check = load_study("causes/check")
setup = sys.modules["setup"]
TRUTHS = check.truths()


class Truths(unittest.TestCase):
    def test_each_script_has_a_truth(self):
        scripts = {path.name for path in (STUDIES / "causes" / "scripts").glob("*.py")} - {"own_clock.py"}
        self.assertEqual(sorted(truth.script for truth in TRUTHS), sorted(scripts))

    def test_each_cause_has_two_disguises(self):
        count = collections.Counter(truth.cause for truth in TRUTHS)
        self.assertEqual(count.pop("healthy"), 8)
        self.assertEqual(len(count), 34)
        self.assertGreaterEqual(min(count.values()), 2)

    def test_scripts_report_the_line_of_the_truth(self):
        for truth in TRUTHS:
            text = (check.SCRIPTS / truth.script).read_text()
            with self.subTest(truth.script):
                self.assertLessEqual(len(text.splitlines()), 65)
                reported = re.search(r"clock\.report\(.*line=", text) is not None
                self.assertEqual(reported, truth.line != "")
                if truth.line:
                    self.assertIn(truth.line, [line.strip() for line in text.splitlines()])

    def test_setups_are_known(self):
        for truth in TRUTHS:
            self.assertIn(truth.setup.partition("=")[0], {"", "gpu", *setup.SETUPS})


class Contradictions(unittest.TestCase):
    def contradiction(self, script, loading, cause):
        truth = next(truth for truth in TRUTHS if truth.script == script)
        lines = (check.SCRIPTS / script).read_text().splitlines()
        number = next((number for number, line in enumerate(lines, 1) if truth.line and line.strip() == truth.line), None)
        return truth.contradiction({"loading": loading, "cause": cause, "line": number and f"{script}:{number}"})

    def test_loading(self):
        self.assertIsNone(self.contradiction("fossils.py", 0.6, 0.4))
        self.assertIn("less than half", self.contradiction("fossils.py", 0.6, 0.2))
        self.assertIn("less than 10", self.contradiction("fossils.py", 0.06, 0.05))

    def test_training(self):
        self.assertIsNone(self.contradiction("captions.py", 0.1, 0.6))
        self.assertIn("less than half", self.contradiction("captions.py", 0.1, 0.4))

    def test_nothing_wrong(self):
        self.assertIsNone(self.contradiction("rivers.py", 0.03, None))
        self.assertIn("more than 5", self.contradiction("rivers.py", 0.06, None))
        self.assertIsNone(self.contradiction("stereo.py", 0.06, 0.06))
        self.assertIn("not 2 to 10", self.contradiction("stereo.py", 0.01, 0.01))


class Surroundings(unittest.TestCase):
    def test_what_is_missing_is_named(self):
        with tempfile.TemporaryDirectory() as folder, self.assertRaisesRegex(setup.Unavailable, "run the script once"):
            with setup.surroundings("cold=borehole", Path(folder)):
                pass

    def test_neighbors_end(self):
        with setup.children([[sys.executable, "-c", "import time; time.sleep(60)"]] * 2) as started:
            self.assertEqual([child.poll() for child in started], [None, None])
        self.assertNotIn(None, [child.returncode for child in started])


if __name__ == "__main__":
    unittest.main()
