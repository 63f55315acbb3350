# SPDX-License-Identifier: Apache-2.0
"""`pip install ./python`, in an environment of its own. Exits 77 where this Python cannot make one.

packaging_test.py VERSION, that of the program
"""
from __future__ import annotations

import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
FAKE = pathlib.Path(__file__).with_name("fake_program.py")
NEEDS = ("pip", "setuptools", "venv", "wheel")

SCRIPT = """
import sys, torch
import feedrate
from torch.utils.data import DataLoader
print(list(feedrate.tune(DataLoader([1, 2]))), feedrate.__version__, feedrate.__file__)
"""


def missing() -> list[str]:
    return [name for name in NEEDS if subprocess.run([sys.executable, "-c", f"import {name}"], stderr=subprocess.DEVNULL).returncode]


class Installed(unittest.TestCase):
    @classmethod
    def setUpClass(cls) -> None:
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.folder = pathlib.Path(folder.name)
        cls.environment = {name: value for name, value in os.environ.items() if name not in ("PYTHONPATH", "FEEDRATE_PROGRAM")}
        cls.python = cls.folder / "venv" / "bin" / "python"
        shutil.copytree(ROOT / "python", cls.folder / "source", ignore=shutil.ignore_patterns("__pycache__", "build", "*.egg-info"))
        cls.run_command(sys.executable, "-m", "venv", "--system-site-packages", "--without-pip", str(cls.folder / "venv"))
        # Without a registry: setuptools is this Python's.
        install = ("-m", "pip", "install", "--no-build-isolation", "--no-index", "--quiet", str(cls.folder / "source"))
        cls.run_command(str(cls.python), *install)
        cls.package = next((cls.folder / "venv").glob("lib/*/site-packages/feedrate"))

    @classmethod
    def run_command(cls, *command: str, **environment: str) -> str:
        environment = {**cls.environment, **environment}
        result = subprocess.run(command, cwd=cls.folder, env=environment, text=True, capture_output=True, timeout=300)
        if result.returncode:
            raise AssertionError(f"{command}: {result.returncode}\n{result.stdout}{result.stderr}")
        return result.stdout

    def put_program(self, folder: pathlib.Path) -> None:
        folder.mkdir(exist_ok=True)
        (folder / "feedrate").write_text(f'#!/bin/sh\necho "$0" >>{self.folder}/started\nexec {sys.executable} {FAKE} "$@"\n')
        (folder / "feedrate").chmod(0o755)

    def test_has_all_files(self) -> None:
        files = {str(path.relative_to(ROOT / "python")) for path in (ROOT / "python" / "feedrate").rglob("*.py")}
        installed = {str(path.relative_to(self.package.parent)) for path in self.package.rglob("*.py")}
        self.assertEqual(installed, files)
        self.assertTrue((self.package / "py.typed").exists())

    def test_has_the_version_of_the_program(self) -> None:
        told = self.run_command(str(self.python), "-m", "pip", "show", "feedrate")
        self.assertEqual(re.search(r"^Version: (.*)$", told, re.M)[1], sys.argv[1])

    def test_finds_the_program_beside_itself_and_beside_the_python(self) -> None:
        log = str(self.folder / "log")
        for folder in (self.python.parent, self.package / "bin"):
            self.put_program(folder)
            told = self.run_command(str(self.python), "-c", SCRIPT, FAKE_LOG=log)
            self.assertEqual(told, f"[tensor([1]), tensor([2])] {sys.argv[1]} {self.package}/__init__.py\n")
            self.assertEqual((self.folder / "started").read_text().split()[-1], f"{folder}/feedrate")


if __name__ == "__main__":
    if missing():
        print(f"skipped: {sys.executable} has no {', '.join(missing())}")
        sys.exit(77)
    unittest.main(argv=sys.argv[:1])
