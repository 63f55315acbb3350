#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Reads results of a small sweep with Google Benchmark's compare.py and pandas.

    result_readers.py <feedrate> compare|pandas

Exits 77 if the tool is missing (Debian: libbenchmark-tools, python3-numpy; python3-pandas). compare.py imports scipy for a test of
significance, which is left out here, and for a geometric mean: without scipy, a stand-in of five lines replaces it.
"""
import functools
import importlib.util
import json
import math
import os
import pathlib
import subprocess
import sys
import tempfile

FEEDRATE, TOOL = sys.argv[1:]
COMPARE = pathlib.Path(os.environ.get("FEEDRATE_COMPARE_PY", "/usr/share/benchmark/compare.py"))
SCIPY = """
import numpy
def gmean(values):
    return numpy.exp(numpy.mean(numpy.log(values), axis=0))
def mannwhitneyu(*_, **__):
    raise NotImplementedError
"""
SWEEP = """# Can others read this?
engine: native
dataset: {path: ds}
loader: {batch_size: 4, num_workers: [0, 2], pin_memory: [false, true], prefetch_factor: 2}
device: {name: 'sim:a100-pcie4'}
trainer: {kind: burn, step_ms: 2}
measure: {steps: 6, repeats: 2, limits: false}
"""


def skip(reason):
    print(f"skipped: {sys.executable}: {reason}")
    sys.exit(77)


def run(folder, *command, **options):
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, **options)
    assert done.returncode == 0, f"{command}\n{done.stdout}\n{done.stderr}"
    return done.stdout


def sweep(folder):
    (folder / "s.yaml").write_text(SWEEP)
    run(folder, FEEDRATE, "data", "make", "ds", "--count", "32")
    run(folder, FEEDRATE, "sweep", "s.yaml", "--out", "r")


def check_compare(folder):
    if not COMPARE.exists() or not importlib.util.find_spec("numpy"):
        skip(f"needs numpy and {COMPARE}")
    sweep(folder)
    run(folder, FEEDRATE, "export", "r", "--format", "google-benchmark", "-o", "a.json")
    slower = json.loads((folder / "a.json").read_text())
    for benchmark in slower["benchmarks"]:
        benchmark["real_time"] *= 2
    (folder / "b.json").write_text(json.dumps(slower))
    environment = dict(os.environ)
    if not importlib.util.find_spec("scipy"):
        (folder / "scipy").mkdir()
        (folder / "scipy/__init__.py").touch()
        (folder / "scipy/stats.py").write_text(SCIPY)
        environment["PYTHONPATH"] = str(folder)
    text = run(folder, sys.executable, COMPARE, "--no-utest", "--no-color", "benchmarks", "a.json", "b.json",
               env=environment)
    rows = {line.split()[0]: line.split() for line in text.splitlines() if line.startswith("s/")}
    cells = ["s/num_workers:0/pin_memory:false", "s/num_workers:0/pin_memory:true",
             "s/num_workers:2/pin_memory:false", "s/num_workers:2/pin_memory:true"]
    names = cells + [f"{cell}_{aggregate}" for cell in cells for aggregate in ("mean", "median", "stddev")]
    assert sorted(rows) == sorted(names), text
    for cell in cells:
        assert rows[cell][1] == "+1.0000", f"time doubles: {rows[cell]}"
        assert rows[cell][2] == "+0.0000", f"CPU time stays: {rows[cell]}"
        real, doubled = int(rows[cell][3]), int(rows[cell][4])
        assert 2e6 <= real < 1e9 and abs(doubled - 2 * real) <= 1, f"nanoseconds a step: {rows[cell]}"
    print(text)


def check_pandas(folder):
    if not importlib.util.find_spec("pandas"):
        skip("needs pandas")
    import pandas
    sweep(folder)
    # The line of docs/results.md. Pandas 1 has no such types for columns with empty fields.
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
    # pandas may be off by an ulp without float_precision="round_trip".
    assert all(map(functools.partial(math.isclose, rel_tol=1e-14), cells["samples_per_second"], rates)), rates
    print(cells.dtypes.to_string())


with tempfile.TemporaryDirectory(prefix="feedrate-") as name:
    {"compare": check_compare, "pandas": check_pandas}[TOOL](pathlib.Path(name))
