# SPDX-License-Identifier: Apache-2.0
"""The wheel that scripts/wheel makes of the tested program, installed into a new environment. Exits 77 if this Python cannot make an
environment, or lacks the tools of scripts/requirements/wheel.txt.

packaging_test.py VERSION PROGRAM
"""
from __future__ import annotations

import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
import zipfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
FAKE = pathlib.Path(__file__).with_name("fake_program.py")
PIP = ROOT / "build" / "wheel-venv" / "bin" / "pip"

SCRIPT = """
import sys, torch
import feedrate
from torch.utils.data import DataLoader
print(list(feedrate.tune(DataLoader([1, 2]))), feedrate.__version__, feedrate.__file__)
"""


def why_not() -> str:
    if subprocess.run([sys.executable, "-c", "import venv"], stderr=subprocess.DEVNULL).returncode:
        return f"{sys.executable} has no venv"
    return "" if PIP.exists() else f"there is no {PIP}; scripts/bootstrap --tests makes it"


class Installed(unittest.TestCase):
    @classmethod
    def setUpClass(cls) -> None:
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.folder = pathlib.Path(folder.name)
        cls.environment = {name: value for name, value in os.environ.items() if name not in ("PYTHONPATH", "FEEDRATE_PROGRAM")}
        cls.python = cls.folder / "venv" / "bin" / "python"
        cls.run_command(sys.executable, "-m", "venv", "--system-site-packages", "--without-pip", str(cls.folder / "venv"))
        pack = ("wheel", str(ROOT), "--no-deps", "--no-index", "--no-build-isolation", "--quiet", "--wheel-dir", "wheels")
        cls.run_command(str(PIP), *pack, f"--config-settings=cmake.define.FEEDRATE_PROGRAM={sys.argv[2]}")
        cls.wheel = next((cls.folder / "wheels").glob("feedrate-*.whl"))
        cls.run_command(str(PIP), "--python", str(cls.python), "install", "--no-deps", "--no-index", "--quiet", str(cls.wheel))
        cls.program = str(cls.python.parent / "feedrate")
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

    def test_is_for_any_python_3_and_this_machine_alone(self) -> None:
        self.assertRegex(self.wheel.name, rf"^feedrate-{re.escape(sys.argv[1])}-py3-none-linux_\w+\.whl$")

    def metadata(self) -> str:
        with zipfile.ZipFile(self.wheel) as wheel:
            return wheel.read(next(name for name in wheel.namelist() if name.endswith("/METADATA"))).decode()

    def test_has_the_license_and_the_links_for_a_registry(self) -> None:
        output = self.metadata()
        self.assertIn("\nLicense-Expression: Apache-2.0\n", output)
        links = re.findall(r"\]\(([^)]+)\)", output)
        self.assertTrue(links)
        self.assertEqual([link for link in links if not link.startswith("https://")], [])
        self.assertIn("\npip install feedrate\n", output)

    def test_needs_no_other_package(self) -> None:
        needs = re.findall(r"^Requires-Dist: (.*)$", self.metadata(), re.M)
        self.assertTrue(needs and all("extra == " in need for need in needs), needs)

    def test_has_the_program(self) -> None:
        output = self.run_command(self.program, "--version")
        self.assertIn(sys.argv[1], output)
        self.assertEqual(self.run_command(str(self.python), "-m", "feedrate", "--version"), output)

    def test_has_the_configurations_and_pages_that_help_names(self) -> None:
        self.assertIn("quickstart", self.run_command(self.program, "config"))
        (self.folder / "quick.yaml").write_text(self.run_command(self.program, "config", "quickstart"))
        self.assertIn("cells", self.run_command(self.program, "plan", "quick.yaml", "--no-probe"))
        self.assertIn("# What if", self.run_command(self.program, "help", "what-if"))

    def test_measures_limits(self) -> None:
        output = self.run_command(self.program, "limits", "--only", "memory/copy", "--min-time", "0.001", "--json")
        self.assertTrue(any(limit["topic"] == "memory" and limit["name"] == "copy" for limit in json.loads(output)["limits"]))

    def test_finds_the_program_next_to_itself_and_next_to_the_python(self) -> None:
        log = str(self.folder / "log")
        real = pathlib.Path(self.program).read_bytes()
        self.addCleanup(pathlib.Path(self.program).write_bytes, real)
        self.addCleanup(shutil.rmtree, self.package / "bin")
        for folder in (self.python.parent, self.package / "bin"):
            self.put_program(folder)
            output = self.run_command(str(self.python), "-c", SCRIPT, FAKE_LOG=log)
            self.assertEqual(output, f"[tensor([1]), tensor([2])] {sys.argv[1]} {self.package}/__init__.py\n")
            self.assertEqual((self.folder / "started").read_text().split()[-1], f"{folder}/feedrate")


if __name__ == "__main__":
    if why_not():
        print(f"skipped: {why_not()}")
        sys.exit(77)
    unittest.main(argv=sys.argv[:1])
