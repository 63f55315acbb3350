#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The notebooks of examples/ in Jupyter's kernel: Notebook is notebook.ipynb, Course is course.ipynb.

    notebook_test.py <feedrate> <source folder> [Notebook|Course]

Exits 77 if a package of requirements.txt is missing.
"""
import os
import pathlib
import re
import sys
import tempfile
import unittest

FEEDRATE, SOURCE = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2]).resolve()
try:
    import ipykernel  # noqa: F401  # the kernel that nbclient starts
    import nbclient
    import nbformat
    import numpy  # noqa: F401
    import PIL  # noqa: F401
    import torch  # noqa: F401
except ImportError as error:
    print(f"skipped: {sys.executable}: needs the package {error.name}")
    sys.exit(77)


def read(name: str) -> nbformat.NotebookNode:
    return nbformat.read(SOURCE / "examples" / name, as_version=4)


def executed(name: str, program: pathlib.Path, folder: pathlib.Path) -> list[nbformat.NotebookNode]:
    notebook = read(name)
    paths = [str(SOURCE / "python"), os.environ.get("PYTHONPATH", "")]
    environment = {
        **os.environ,
        "FEEDRATE_PROGRAM": str(program),
        "OMP_NUM_THREADS": "1",  # threads that wait for each other are slow on a busy machine
        "PYTHONDONTWRITEBYTECODE": "1",
        "PYTHONPATH": os.pathsep.join(filter(None, paths)),
    }
    nbclient.NotebookClient(notebook, timeout=600, resources={"metadata": {"path": str(folder)}}).execute(env=environment)
    return notebook.cells


def printed(cell: nbformat.NotebookNode) -> str:
    return "".join(output.text for output in cell.outputs if output.get("name") == "stdout")


class Notebook(unittest.TestCase):
    """notebook.ipynb trains the same to the last bit with and without the program, and shows feedrate's recommendation."""

    def outputs(self, program: pathlib.Path) -> tuple[str, dict[str, str]]:
        """(output of the loop, output of the last cell by its type)."""
        _, _, loop, _, last = executed("notebook.ipynb", program, SOURCE / "examples")
        return printed(loop), last.outputs[0].data if last.outputs else {}

    def test_trains_the_same_and_shows_what_is_recommended(self) -> None:
        untouched, shown = self.outputs(SOURCE / "absent")
        self.assertRegex(untouched, r"^epoch 0: loss [\d.]+\nepoch 1: loss [\d.]+\n$")
        self.assertEqual(shown, {})
        tuned, shown = self.outputs(FEEDRATE)
        self.assertEqual(tuned, untouched)
        self.assertRegex(shown["text/html"], r"(?s)<td>num_workers</td>.*\b\d+ steps of In\[1\]:9 DataLoader\(Pictures")


class Course(unittest.TestCase):
    """The exercise: loading in the training process is slowest by hand and by feedrate."""

    def test_is_handed_out_without_results(self) -> None:
        cells = [cell for cell in read("course.ipynb").cells if cell.cell_type == "code"]
        self.assertEqual([cell.id for cell in cells if cell.outputs or cell.execution_count is not None], [])

    def test_finds_the_same_by_hand_and_by_feedrate(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            cells = {cell.id: cell for cell in executed("course.ipynb", FEEDRATE, pathlib.Path(folder))}
        rows = re.findall(r"(?m)^ +(\d+) .* [MG]B ", printed(cells["swept"]))
        self.assertEqual(sorted(rows), ["0", "1", "2", "4"])
        self.assertRegex(printed(cells["watched"]), r"\d+ steps of In\[\d+\]:\d+ DataLoader\(Photos, .*num_workers=0\)\n *loading ")
        self.assertRegex(cells["tuned"].outputs[-1].data["text/html"], r"<td>num_workers</td>")
        by_hand, by_feedrate = re.findall(r"(?m)^fastest first, by .*: +([0124 ]+)$", printed(cells["compare"]))
        self.assertEqual(sorted(by_hand.split()), ["0", "1", "2", "4"])
        self.assertEqual(sorted(by_feedrate.split()), ["0", "1", "2", "4"])
        self.assertNotEqual(by_hand.split()[0], "0")
        self.assertNotEqual(by_feedrate.split()[0], "0")


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[3:]])
