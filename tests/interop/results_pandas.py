#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Reads cells.csv of a small sweep with pandas.

    results_pandas.py <feedrate>

Exits 77 where pandas is missing (Debian: python3-pandas).
"""
import functools
import json
import math
import pathlib
import subprocess
import sys
import tempfile

try:
    import pandas
except ImportError:
    print(f"skipped: {sys.executable}: needs pandas")
    sys.exit(77)

FEEDRATE = sys.argv[1]
SWEEP = """# Can others read this?
engine: native
dataset: {path: ds}
loader: {batch_size: 4, num_workers: [0, 2], pin_memory: [false, true], prefetch_factor: 2}
device: {name: 'sim:a100-pcie4'}
trainer: {kind: burn, step_ms: 2}
measure: {steps: 6, repeats: 2, limits: false}
"""


def run(folder, *command, **options):
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, **options)
    assert done.returncode == 0, f"{command}\n{done.stdout}\n{done.stderr}"
    return done.stdout


def sweep(folder):
    (folder / "s.yaml").write_text(SWEEP)
    run(folder, FEEDRATE, "data", "make", "ds", "--count", "32")
    run(folder, FEEDRATE, "sweep", "s.yaml", "--out", "r")


def check(folder):
    sweep(folder)
    # The line of docs/results.md. Pandas 1 has no such types where a field is empty.
    nullable = {"dtype_backend": "numpy_nullable"} if int(pandas.__version__.split(".")[0]) >= 2 else {}
    cells = pandas.read_csv(folder / "r/cells.csv", dtype={"jobid": "string", "reason": "string"}, **nullable)
    expected = {"jobid": "string", "simulated": "boolean", "cell": "Int64", "outcome": "string", "reason": "string",
                "num_workers": "Int64", "prefetch_factor": "Int64", "pin_memory": "boolean", "device": "string",
                "trainer": "string", "samples_per_second": "Float64", "samples_per_second_low": "Float64",
                "step_time_p99": "Float64", "steps": "Int64", "repeats": "Int64"}
    if not nullable:
        expected = {"cell": "int64", "num_workers": "int64", "samples_per_second": "float64", "step_time_p99": "float64",
                    "steps": "int64", "repeats": "int64"}
    dtypes = {name: str(cells[name].dtype) for name in expected}
    assert dtypes == expected, dtypes
    assert cells["prefetch_factor"].isna().tolist() == (cells["num_workers"] == 0).tolist()
    run_json = json.loads((folder / "r/run.json").read_text())
    rates = [cell["metrics"]["samples_per_second"] for cell in run_json["cells"]]
    # Without float_precision="round_trip", pandas is sometimes an ulp off.
    assert all(map(functools.partial(math.isclose, rel_tol=1e-14), cells["samples_per_second"], rates)), rates
    print(cells.dtypes.to_string())


with tempfile.TemporaryDirectory(prefix="feedrate-") as name:
    check(pathlib.Path(name))
