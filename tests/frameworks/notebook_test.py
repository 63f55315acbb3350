#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""examples/notebook.ipynb in Jupyter's kernel, with the program and without it: it trains the same to the last bit, and shows
what feedrate recommends.

    notebook_test.py <feedrate> <source folder>

Exits 77 where a package of requirements.txt is missing.
"""
import os
import pathlib
import sys
import unittest

FEEDRATE, SOURCE = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2]).resolve()
try:
    import ipykernel  # noqa: F401  # the kernel that nbclient starts
    import nbclient
    import nbformat
    import torch  # noqa: F401
except ImportError as error:
    print(f"skipped: {sys.executable}: needs the package {error.name}")
    sys.exit(77)


def outputs(program: pathlib.Path) -> tuple[str, dict[str, str]]:
    """Of a run: what the loop printed, and what the last cell shows, by its type."""
    notebook = nbformat.read(SOURCE / "examples" / "notebook.ipynb", as_version=4)
    paths = [str(SOURCE / "python"), os.environ.get("PYTHONPATH", "")]
    environment = {
        **os.environ,
        "FEEDRATE_PROGRAM": str(program),
        "OMP_NUM_THREADS": "1",  # threads that wait for each other are slow on a busy machine
        "PYTHONDONTWRITEBYTECODE": "1",
        "PYTHONPATH": os.pathsep.join(filter(None, paths)),
    }
    client = nbclient.NotebookClient(notebook, timeout=600, resources={"metadata": {"path": str(SOURCE / "examples")}})
    client.execute(env=environment)
    _, _, loop, _, last = notebook.cells
    printed = "".join(output.text for output in loop.outputs if output.get("name") == "stdout")
    return printed, last.outputs[0].data if last.outputs else {}


class Notebook(unittest.TestCase):
    def test_trains_the_same_and_shows_what_is_recommended(self) -> None:
        untouched, shown = outputs(SOURCE / "absent")
        self.assertRegex(untouched, r"^epoch 0: loss [\d.]+\nepoch 1: loss [\d.]+\n$")
        self.assertEqual(shown, {})
        tuned, shown = outputs(FEEDRATE)
        self.assertEqual(tuned, untouched)
        self.assertRegex(shown["text/html"], r"(?s)<td>num_workers</td>.*\b\d+ steps of In\[1\]:9 DataLoader\(Pictures")


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
