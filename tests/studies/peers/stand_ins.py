# SPDX-License-Identifier: Apache-2.0
"""Stand-ins for feedrate and for a Python with peers: they answer at once, with known figures."""
from __future__ import annotations

import sys
from pathlib import Path

FEEDRATE = """#!{python}
import csv, json, pathlib, sys
words = sys.argv[1:]
if words == ["--version"]:
    print("feedrate 0.0")
elif words[:2] == ["data", "make"]:
    pathlib.Path(words[2]).mkdir()
elif words[:2] == ["data", "convert"] and not {converts}:
    sys.exit("no room")
elif words[:2] == ["data", "convert"]:
    pathlib.Path(words[3]).write_bytes(b"records")
elif words[0] == "limits":
    print(json.dumps({limits}))
elif words[0] == "sweep":
    out = pathlib.Path(words[words.index("--out") + 1])
    out.mkdir()
    cell = {{"outcome": "{outcome}", "reason": "{reason}", "cached_before": "1", "samples_per_second": "3000", "step_time": "9e-6",
            "read_time": "1e-6", "decode_time": "", "transform_time": "2e-6", "first_batch_time": "0.002", "wait_time": "4e-6"}}
    with (out / "cells.csv").open("w", newline="") as file:
        writer = csv.DictWriter(file, cell)
        writer.writeheader()
        writer.writerow(cell)
else:
    sys.exit(2)
"""

PYTHON = """#!{python}
import json, pathlib, sys
script = pathlib.Path(sys.argv[1]).name
if script == "versions.py":
    found = {{name: "1.0" for name in sys.argv[2:] if name not in {lacks}}}
    missing = {{name: "ModuleNotFoundError: no " + name for name in {lacks}}}
    print(json.dumps({{"python": "3.0", "found": found, "missing": missing}}))
elif script == "ffcv_write.py":
    pathlib.Path(sys.argv[3]).write_bytes(b"records")
elif script in {fails}:
    sys.exit("it fell over")
else:
    print(json.dumps({{"value": 1000}}))
"""


LIMITS = {"limits": [{"value": 4e6, "size_bytes": 1, "note": ""}], "left_out": []}


def write_feedrate(path: Path, outcome: str = "ok", reason: str = "", converts: bool = True, limits: object = LIMITS) -> Path:
    return _write(path, FEEDRATE.format(python=sys.executable, outcome=outcome, reason=reason, converts=converts, limits=limits))


def write_python(path: Path, lacks: tuple[str, ...] = (), fails: tuple[str, ...] = ()) -> Path:
    return _write(path, PYTHON.format(python=sys.executable, lacks=lacks, fails=fails))


def _write(path: Path, text: str) -> Path:
    path.write_text(text)
    path.chmod(0o755)
    return path
