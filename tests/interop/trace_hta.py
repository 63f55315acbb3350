#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Reads a trace of `feedrate sweep --trace` with Holistic Trace Analysis and compares its temporal breakdown with the
one worked out from the same file by hand.

    trace_hta.py <feedrate>

Exits 77 without HTA (pip install HolisticTraceAnalysis 'pandas<3', with which HTA 0.5 works).
"""
import json
import logging
import pathlib
import subprocess
import sys
import tempfile

FEEDRATE = sys.argv[1]
try:
    from hta.trace_analysis import TraceAnalysis
except ImportError as error:
    print(f"skipped: {sys.executable}: {error}; needs HolisticTraceAnalysis")
    sys.exit(77)

SWEEP = """# A trace for HTA.
engine: native
dataset: {path: ds}
loader: {batch_size: 4, num_workers: 2, pin_memory: true}
device: {name: 'sim:a100-pcie4', non_blocking: true, copy_stream: side}
trainer: {kind: burn, step_ms: 2}
measure: {steps: 6, repeats: 1, limits: false}
"""


def feedrate(folder: pathlib.Path, *arguments: str) -> None:
    subprocess.run([FEEDRATE, *arguments], cwd=folder, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)


def union(spans: list[tuple[int, int]]) -> int:
    """The total length of half-open spans without overlaps."""
    total, reached = 0, -1
    for begin, end in sorted(spans):
        total += max(0, end - max(begin, reached))
        reached = max(reached, end)
    return total


def whole_microseconds(event: dict) -> tuple[int, int]:
    """HTA rounds the start up and the end down."""
    begin, end = event["ts"], event["ts"] + event["dur"]
    return -int(-begin // 1), int(end // 1)


def main() -> None:
    logging.disable(logging.WARNING)
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        feedrate(folder, "data", "make", "ds", "--count", "64")
        (folder / "s.yaml").write_text(SWEEP)
        feedrate(folder, "sweep", "s.yaml", "--trace", "--out", "results")
        trace = folder / "results/traces/cell-000.json"
        breakdown = TraceAnalysis(trace_files={0: str(trace)}, trace_dir=str(trace.parent)).get_temporal_breakdown(
            visualize=False)
        events = json.loads(trace.read_text())["traceEvents"]

    # HTA leaves out the last step: host events from its start on, and the device work that they launched.
    last = max(event["ts"] for event in events if event["name"].startswith("ProfilerStep#"))
    dropped = {event["args"]["correlation"] for event in events
               if event.get("cat") == "cuda_runtime" and "correlation" in event["args"] and event["ts"] >= last}
    work = [event for event in events
            if event.get("cat") in ("kernel", "gpu_memcpy") and event["args"]["correlation"] not in dropped]
    spans = [whole_microseconds(event) for event in work]
    kernels = [span for event, span in zip(work, spans) if event["cat"] == "kernel"]
    total = max(end for _, end in spans) - min(begin for begin, _ in spans)
    expected = {"kernel_time": total, "idle_time": total - union(spans), "compute_time": union(kernels),
                "non_compute_time": union(spans) - union(kernels)}
    assert len(breakdown) == 1, breakdown
    for column, value in expected.items():
        found = int(breakdown.iloc[0][f"{column}(us)"])
        assert abs(found - value) <= 2, f"{column}: HTA says {found} us, the file {value} us\n{breakdown}"
    print(f"HTA reads {len(events)} events: {expected}")


main()
