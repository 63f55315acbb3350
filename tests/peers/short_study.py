"""scripts/peers with the real feedrate, short: short_study.py FEEDRATE FOLDER

First all rows without any peer: feedrate takes each configuration, and each limit is found. Then the JPEG row with what this
Python has; what it lacks does not matter, but must be said."""
from __future__ import annotations

import csv
import pathlib
import shutil
import subprocess
import sys

from stand_ins import write_python

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
FEEDRATE, FOLDER = sys.argv[1], pathlib.Path(sys.argv[2])
MODULES = ("torch", "torchvision", "PIL", "lmdb", "h5py", "webdataset", "ffcv", "spdl")
SMALL = ["--jpegs", "64", "--pngs", "256", "--rounds", "1", "--seconds", "0.05", "--foreign", "1e9"]


def study(name: str, python: object, *more: str) -> list[str]:
    """What went wrong."""
    out = FOLDER / name
    words = [sys.executable, ROOT / "scripts" / "peers", "--feedrate", FEEDRATE, "--python", python, "--out", out, *SMALL, *more]
    done = subprocess.run([*map(str, words), "--data", str(FOLDER / "data")], stdout=subprocess.DEVNULL)
    if done.returncode != 0:
        return [f"{name}: exit {done.returncode}"]
    with (out / "peers.csv").open(newline="") as file:
        lines = list(csv.DictReader(file))
    # feedrate built without Google Benchmark has no limits, and says so.
    wrong = [line for line in lines if line["outcome"] == "failed" and "Google Benchmark" not in line["reason"]]
    told = (out / "summary.md").read_text(encoding="utf-8")
    silent = [f"nothing is said of {module}" for module in MODULES if name == "alone" and f"{module}: ModuleNotFoundError" not in told]
    return [f"{line['row']}: {line['contestant']}: {line['reason']}" for line in wrong] + silent


def main() -> int:
    shutil.rmtree(FOLDER, ignore_errors=True)
    FOLDER.mkdir(parents=True)
    wrong = study("alone", write_python(FOLDER / "python", lacks=MODULES), "--workers", "1")
    wrong += study("beside", sys.executable, "--workers", "0", "--only", "jpeg")
    shutil.rmtree(FOLDER / "data", ignore_errors=True)
    print("\n".join(wrong), file=sys.stderr)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
