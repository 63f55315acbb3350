#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The profiler exercise, examples/profiler.py: `feedrate trace` reads its traces, and both report that there is no GPU.

    profiler_test.py <feedrate> <source folder>

Exits 77 if a package is missing.
"""
import json
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

FEEDRATE, SOURCE = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2]).resolve()
try:
    import numpy  # noqa: F401
    import torch
except ImportError as error:
    print(f"skipped: {sys.executable}: needs the package {error.name}")
    sys.exit(77)


class Profiler(unittest.TestCase):
    def test_both_traces_have_five_steps_that_wait_for_a_loader(self) -> None:
        with tempfile.TemporaryDirectory(prefix="feedrate-profiler-") as folder:
            script = [sys.executable, str(SOURCE / "examples" / "profiler.py"), "--out", folder]
            done = subprocess.run(script, capture_output=True, text=True, timeout=600, check=False)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertEqual("no GPU" in done.stdout, not torch.cuda.is_available())
            command = [str(FEEDRATE), "trace", "before.json", "after.json", "--json", "figures.json"]
            done = subprocess.run(command, capture_output=True, text=True, cwd=folder, check=False)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertEqual(done.stdout.count("The trace has no GPU activity"), 0 if torch.cuda.is_available() else 2)
            for name in ("before", "after"):
                self.assertRegex(done.stdout, rf"(?m)^ +\S+ +5 +.*\b{re.escape(name)}\.json$")
            for trace in json.loads((pathlib.Path(folder) / "figures.json").read_text()):
                self.assertEqual(len(trace["steps"]), 5)
                self.assertGreaterEqual(trace["steps"][0]["number"], 12, "what was prefetched is skipped")
                self.assertTrue(all(step["next_raw"] > 0 for step in trace["steps"]), trace["file"])


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
