# SPDX-License-Identifier: Apache-2.0
"""packaging/: the recipes parse, and name the wheel of this version. rattler-build of scripts/requirements/wheel.txt renders conda's
recipe; without it the test prints the reason and exits 77."""
from __future__ import annotations

import pathlib
import re
import subprocess
import sys
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
PYTHON = ROOT / "build" / "wheel-venv" / "bin" / "python"
RENDER = """
import sys, rattler_build
[one] = rattler_build.Stage0Recipe.from_yaml(open(sys.argv[1]).read()).render(rattler_build.VariantConfig())
print(one.recipe.package.name, one.recipe.package.version)
"""


def wheel() -> str:
    version = re.search(r'^__version__ = "(.+)"', (ROOT / "python" / "feedrate" / "__init__.py").read_text(), re.M)[1]
    glibc = re.search(r"^glibc=([0-9.]+)", (ROOT / "scripts" / "wheel").read_text(), re.M)[1].replace(".", "_")
    return f"feedrate-{version}-py3-none-manylinux_{glibc}_x86_64.whl"


class Apptainer(unittest.TestCase):
    def test_has_sections_that_a_shell_takes_and_names_the_wheel(self) -> None:
        text = (ROOT / "packaging" / "feedrate.def").read_text()
        header, *parts = re.split(r"^%(\w+)\n", text, flags=re.M)
        sections = dict(zip(parts[::2], parts[1::2]))
        self.assertRegex(header, r"(?m)^Bootstrap: docker\nFrom: \{\{ base \}\}$")
        self.assertEqual(set(sections), {"arguments", "files", "post", "environment", "runscript", "test"})
        for name in ("post", "environment", "runscript", "test"):
            subprocess.run(["bash", "-n"], input=sections[name], text=True, check=True)
        arguments = dict(line.strip().split("=", 1) for line in sections["arguments"].split("\n") if line.strip())
        self.assertEqual(arguments["wheel"], wheel())
        self.assertLessEqual(set(re.findall(r"\{\{ (\w+) \}\}", text)), set(arguments))


class Conda(unittest.TestCase):
    def test_is_rendered_by_rattler_build_and_names_the_wheel(self) -> None:
        recipe = ROOT / "packaging" / "recipe.yaml"
        done = subprocess.run([PYTHON, "-c", RENDER, recipe], capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        name, version = done.stdout.split()
        self.assertEqual(wheel().split("-")[:2], [name, version])
        self.assertEqual(recipe.read_text().replace("${{ version }}", version).count(wheel()), 2)


if __name__ == "__main__":
    if subprocess.run([PYTHON, "-c", "import rattler_build"], capture_output=True, check=False).returncode:
        is_right = unittest.main(argv=[sys.argv[0], "Apptainer"], exit=False).result.wasSuccessful()
        print(f"conda: skipped: {PYTHON} has no rattler_build; scripts/bootstrap --tests installs it")
        sys.exit(77 if is_right else 1)
    unittest.main()
