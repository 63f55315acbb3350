#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`feedrate data convert` by another package: the target is complete or absent, and errors name the record.

    convert_test.py <feedrate>

Exits 77 if torch or pyarrow is missing.
"""
import importlib.util
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import time
import unittest

FEEDRATE = pathlib.Path(sys.argv.pop(1)).resolve()
lacking = [name for name in ("torch", "numpy", "PIL", "pyarrow") if importlib.util.find_spec(name) is None]
if lacking:
    print(f"skipped: needs the package {', '.join(lacking)}")
    sys.exit(77)


class Convert(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def start(self, *words):
        return subprocess.Popen([FEEDRATE, "data", *words], cwd=self.folder, env={**os.environ, "FEEDRATE_PYTHON": sys.executable},
                                stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)

    def feedrate(self, *words):
        process = self.start(*words)
        out, err = process.communicate()
        return process.returncode, out, err

    def make(self, count):
        self.assertEqual(self.feedrate("make", "ds", "--count", str(count), "--size", "8")[0], 0)

    def listing(self):
        return sorted(path.name for path in self.folder.iterdir())

    def test_is_complete(self):
        import pyarrow.parquet

        self.make(40)
        code, out, err = self.feedrate("convert", "ds", "new/ds.parquet")
        self.assertEqual(code, 0, err)
        self.assertIn("new/ds.parquet: 40 records of ds (folder), as parquet; pixels and labels verified", out)
        self.assertEqual(pyarrow.parquet.read_table(self.folder / "new/ds.parquet").num_rows, 40)
        self.assertEqual([path.name for path in (self.folder / "new").iterdir()], ["ds.parquet"])

    def test_names_an_image_that_is_truncated_and_leaves_no_target(self):
        self.make(40)
        image = sorted((self.folder / "ds").glob("*/*.png"))[30]
        image.write_bytes(image.read_bytes()[:-40])
        code, _, err = self.feedrate("convert", "ds", "ds.parquet")
        self.assertEqual(code, 1)
        self.assertIn(f"{image.relative_to(self.folder)}: ", err)
        self.assertIn("convert the dataset to tar first, which leaves damaged images out", err)
        self.assertNotIn("Traceback", err)
        self.assertEqual(self.listing(), ["ds"])

    def killed(self, number):
        left = set(self.folder.glob(".ds.parquet.*"))
        process = self.start("convert", "ds", "ds.parquet")
        while process.poll() is None and not [draft for draft in self.folder.glob(".ds.parquet.*/*") if draft.parent not in left]:
            time.sleep(0.001)
        process.send_signal(number)
        process.communicate()
        return process.returncode

    def test_leaves_no_target_when_it_is_killed(self):
        self.make(3000)
        self.assertEqual(self.killed(signal.SIGKILL), -signal.SIGKILL)
        self.assertFalse((self.folder / "ds.parquet").exists())
        self.assertEqual(self.killed(signal.SIGINT), 130)
        self.assertEqual(self.listing(), ["ds"])  # The second kill also removes the first one's leftovers.

    def test_refuses_a_target_that_exists_and_one_on_a_server(self):
        self.make(4)
        (self.folder / "ds.parquet").write_text("mine")
        code, _, err = self.feedrate("convert", "ds", "ds.parquet")
        self.assertEqual(code, 2)
        self.assertIn("ds.parquet: exists; choose another name or remove it", err)
        for target in ("s3://bucket/ds.parquet", "s3://bucket/ds.tar", "http://host/ds.mds"):
            code, _, err = self.feedrate("convert", "ds", target)
            self.assertEqual(code, 2, err)
            self.assertIn(f"{target}: nothing is written to a server", err)
        self.assertEqual((self.folder / "ds.parquet").read_text(), "mine")


if __name__ == "__main__":
    unittest.main()
