# SPDX-License-Identifier: Apache-2.0
"""studies/peers/race with the real feedrate, short: short_study.py FEEDRATE FOLDER

First all rows without any peer: feedrate accepts each configuration, and finds each limit. Then every peer's script, as far as this
Python has the packages, on feedrate's data, with a stand-in for feedrate; missing packages must be reported. The trial is enough."""
from __future__ import annotations

import csv
import pathlib
import shutil
import subprocess
import sys

from stand_ins import write_feedrate, write_python

STUDIES = pathlib.Path(__file__).resolve().parents[3] / "studies"
sys.path.insert(0, str(STUDIES))

from peers.tools import INSTALL  # noqa: E402

FEEDRATE, FOLDER = sys.argv[1], pathlib.Path(sys.argv[2])
SMALL = ["--jpegs", "64", "--pngs", "256", "--rounds", "0", "--seconds", "0.05", "--workers", "2"]


def study(name: str, feedrate: object, python: object, *more: str) -> list[str]:
    """The errors of a study."""
    out = FOLDER / name
    words = [sys.executable, STUDIES / "peers/race", "--feedrate", feedrate, "--python", python, "--out", out, *SMALL, *more]
    done = subprocess.run([*map(str, words), "--data", str(FOLDER / "data")], stdout=subprocess.DEVNULL)
    if done.returncode != 0:
        return [f"{name}: exit {done.returncode}"]
    with (out / "peers.csv").open(newline="") as file:
        lines = list(csv.DictReader(file))
    # feedrate without Google Benchmark has no limits, and reports that.
    wrong = [line for line in lines if line["outcome"] == "failed" and "Google Benchmark" not in line["reason"]]
    summary = (out / "summary.md").read_text(encoding="utf-8")
    print(f"{name}: {summary[summary.find('## Absent') :]}")
    silent = [f"nothing is said of {module}" for module in INSTALL if name == "alone" and f"{module}: ModuleNotFoundError" not in summary]
    return [f"{line['row']}: {line['contestant']}: {line['reason']}" for line in wrong] + silent


def main() -> int:
    shutil.rmtree(FOLDER, ignore_errors=True)
    FOLDER.mkdir(parents=True)
    wrong = study("alone", FEEDRATE, write_python(FOLDER / "python", lacks=tuple(INSTALL)))
    only = [word for row in ("jpeg", "arrays", "start-up") for word in ("--only", row)]
    wrong += study("beside", write_feedrate(FOLDER / "feedrate"), sys.executable, *only)
    shutil.rmtree(FOLDER / "data", ignore_errors=True)
    print("\n".join(wrong), file=sys.stderr)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
