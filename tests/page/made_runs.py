# SPDX-License-Identifier: Apache-2.0
"""Synthetic runs for the page: run.json of any size, shaped like real ones."""

import itertools
import json
import random

FORMATS = {"folder": 1.0, "tar": 0.9, "lmdb": 0.75, "hdf5": 1.5, "hdf5-decoded": 0.3}
DOUBT = "sim:a100-pcie4 is a model, not a GPU: copies and steps take the times of the preset; no GPU was measured."


def settings(**changed):
    known = {"num_workers": 0, "prefetch_factor": 2, "pin_memory": False, "batch_size": 64, "format": "folder", "shuffle": True,
             "loader": "dataloader", "trainer": "burn", "step_ms": 5.0, "device": "sim:a100-pcie4"}
    return {**known, **changed}


def steps_of(values, generator, steps):
    """Loading and training seconds per step: workers deliver in rounds."""
    batch = FORMATS.get(values["format"], 1.0) * 1.4e-4 * values["batch_size"]
    workers = values["num_workers"]
    training = 0.005 * values["batch_size"] / 64
    if values["loader"] == "cached":
        batch, workers = 2e-5, 1
    if values["trainer"] == "discard":
        training = 0.0
    lag = batch if workers == 0 else max(2e-5, batch / workers - training)
    lag *= 1.0 if values["pin_memory"] else 1.15
    loading = []
    for step in range(steps):
        waits = workers < 2 or step % workers == 0
        share = lag * (workers if workers > 1 and waits else 1 if waits else 0.05)
        loading.append(share * generator.lognormvariate(0, 0.08) + 2e-5)
    return loading, [training * generator.lognormvariate(0, 0.01) for _ in loading]


def percentile(values, share):
    values = sorted(values)
    return values[min(len(values) - 1, int(share * len(values)))]


def measured(index, values, generator, steps=50, repeats=3):
    starts = [steps_of(values, generator, steps) for _ in range(repeats)]
    rates = [values["batch_size"] * steps / (sum(loading) + sum(training)) for loading, training in starts]
    loading, training = (sum(sum(start[part]) for start in starts) / steps / repeats for part in (0, 1))
    all_steps = [sum(step) for start in starts for step in zip(*start)]
    rate, half = sum(rates) / repeats, 2.5 * (max(rates) - min(rates)) / 2
    metrics = {
        "loading_time": loading, "training_time": training, "first_batch_time": 0.01 + 0.004 * values["num_workers"],
        "samples_per_second": rate, "samples_per_second_low": rate - half, "samples_per_second_high": rate + half,
        "au": training / (loading + training) if training else None,
        "memory": 4e7 + 1.1e7 * values["num_workers"] * (1 + 0.1 * values["prefetch_factor"]) + 3e4 * values["batch_size"],
        "step_time": loading + training, "step_time_p50": percentile(all_steps, 0.5), "step_time_p90": percentile(all_steps, 0.9),
        "step_time_p99": percentile(all_steps, 0.99), "step_time_max": max(all_steps), "repeats": repeats}
    return {"cell": index, "outcome": "ok", "reason": "", "settings": values,
            "metrics": {tag: value for tag, value in metrics.items() if value is not None},
            "repeats": [{"metrics": {"samples_per_second": r}, "series": {"loading_time": s[0], "training_time": s[1]}} for r, s in zip(rates, starts)]}


def watched(cell, points=40):
    """Adds monitor series of a machine with four cores and a GPU: two seconds, the first of them warm-up."""
    times = [round(0.05 * (at + 1), 3) for at in range(points)]
    wave = [0.5 + 0.4 * ((at // 5) % 2) for at in range(points)]
    series = {"time": times, "cpu_total": [2 + w for w in wave], "cpu_main": [0.4 * w for w in wave], "cpu_workers": [1.5 * w for w in wave],
              "cpu_process_1": [0.7 * w for w in wave], "cpu_process_2": [0.8 * w for w in wave], "page_cache": [3e9 + 1e6 * at for at in range(points)],
              "memory_available": [1e10] * points, "disk_read": [2e8 * w for w in wave], "disk_written": [0] * points,
              "network_received": [0] * points, "network_sent": [0] * points, "memory_time": [0.0, 0.5, 1.0, 1.5, 2.0],
              "memory": [1e8, 2e8, 2.5e8, 2.5e8, 2.4e8], "gpu_time": times[points // 2:], "gpu_utilisation": wave[points // 2:],
              "gpu_memory": [4e9] * (points // 2), "gpu_power": [250.0] * (points // 2), "window": [times[points // 2], times[-1]]}
    series.update({f"cpu_core_{core}": [min(1.0, w + 0.05 * core) for w in wave] for core in range(4)})
    cell["repeats"][-1]["series"].update({f"monitor_{name}": values for name, values in series.items()})
    cell["metrics"].update({"monitor_cpu": 0.0071, "cpu_busy": 0.97, "gpu_busy": 0.62, "memory_used": 0.4})
    return cell


def run_of(cells, **changed):
    axes = ["num_workers", "prefetch_factor", "pin_memory", "batch_size", "format", "loader", "trainer"]
    return {"schema_version": 1, "config_name": "made-up", "question": "Which settings keep a GPU fed?", "started_at": "2026-01-02T03:04:05Z",
            "command": "feedrate sweep made-up.yaml", "jobid": "", "simulated": True, "interrupted": False, "axes": axes,
            "environment": {"facts": {"cpu_model": "Made-up CPU", "cpus_usable": "8"}, "warnings": [DOUBT]},
            "config_text": "# Which settings keep a GPU fed?\n", "cells": cells, **changed}


def grid(seed=1, formats=FORMATS, workers=(0, 1, 2, 4, 8), prefetch=(1, 2, 4, 8), pinned=(False, True), batches=(32, 64, 128, 256, 512), slower=1.0):
    """All combinations, a thousand by default, and the limits."""
    generator = random.Random(seed)
    cells = []
    for f, w, p, m, b in itertools.product(formats, workers, prefetch, pinned, batches):
        cells.append(measured(len(cells), settings(format=f, num_workers=w, prefetch_factor=p, pin_memory=m, batch_size=b), generator))
    for f, w in itertools.product(formats, workers):
        cells.append(measured(len(cells), settings(format=f, num_workers=w, trainer="discard"), generator))
    cells.append(measured(len(cells), settings(loader="cached"), generator))
    for cell in cells if slower != 1.0 else []:
        for tag in ("samples_per_second", "samples_per_second_low", "samples_per_second_high"):
            cell["metrics"][tag] /= slower
    return run_of(cells)


def watched_settings(workers, site="/home/me/train.py:42"):
    return {"engine": "torch", "site": site, "batch_size": 64, "num_workers": workers, "prefetch_factor": 2 if workers else "", "pin_memory": False}


def segment(begin, end, workers, use, loading, steps, **changed):
    rate = 64 / (loading + 0.05) if loading is not None else None
    return {"begin": begin, "end": end, "use": use, "steps": steps, "loading": loading, "training": None if loading is None else 0.05,
            "gpu_idle": None if loading is None else loading / (loading + 0.05), "samples_per_second": rate, "problem": "",
            "settings": watched_settings(workers), **changed}


def points_of(segments, each, gpu):
    """`each` points per segment; the last point has a long evaluation."""
    rows = [(s["begin"] + at * (s["end"] - s["begin"]) / each, s["begin"] + (at + 1) * (s["end"] - s["begin"]) / each, s["loading"])
            for s in segments if s["loading"] is not None for at in range(each)]
    training = [0.05] * (len(rows) - 1) + [2.0]
    return {"begin": [row[0] for row in rows], "end": [row[1] for row in rows], "loading": [row[2] for row in rows], "training": training,
            "gpu_idle": [row[2] / (row[2] + 0.05) if gpu else None for row in rows]}


def trained(gpu=True, each=60):
    """A tuned training of an hour: its own settings, trials, a failed one, and the kept settings; and a second loader."""
    segments = [segment(0.5, 20, 0, "own", 0.1, 130), segment(21, 41, 2, "trial", 0.03, 250),
                segment(41, 41, 16, "trial", None, 0, problem="OSError: no memory <b>"), segment(41, 50, 0, "own", 0.1, 60),
                segment(51, 70, 4, "trial", 0.012, 300), segment(71, 90, 8, "trial", 0.001, 370), segment(91, 3600, 6, "kept", 0.002, 67500)]
    other = segment(30, 3500, 1, "own", 0.2, 900, settings=watched_settings(1, "/home/me/train.py:50"))
    generator = random.Random(3)
    cells = []
    for workers in (0, 2, 4, 8, 6):
        cell = measured(len(cells), settings(num_workers=workers), generator)
        cells.append({**cell, "settings": watched_settings(workers)})
    history = {"verdict": ["68,610 steps of train.py:42 DataLoader(ImageFolder, batch_size=64, num_workers=0)", "INPUT-BOUND: <b>the workers</b>",
                          "train.py:42  - DataLoader(…, num_workers=0)", "             + DataLoader(…, num_workers=6)"],
              "loaders": [{"loader": "train.py:42 DataLoader(ImageFolder, batch_size=64, num_workers=0)", "segments": segments,
                           "epochs": [[360.0 * at, 0.4] for at in range(10)], "points": points_of(segments, each, gpu)},
                          {"loader": "train.py:50 DataLoader(ImageFolder, batch_size=64, num_workers=1)", "segments": [other],
                           "epochs": [], "points": points_of([other], 5, False)}]}
    return run_of(cells, simulated=False, config_name="train", question="What do the steps of train wait for?", axes=["num_workers"],
                  environment={"facts": {}, "warnings": []}, config_text="", command="feedrate run --tune train.py", history=history)


def hostile():
    """Texts that become markup, end the script or break a line unless they are escaped."""
    markup = "</script><img src=x onerror=\"window.hurt = 1\"><!--"
    generator = random.Random(2)
    cells = [measured(0, settings(format=markup), generator), measured(1, settings(format="a\u2028b\\\"';&lt;", num_workers=2), generator),
             {"cell": 2, "outcome": "failed", "reason": f"{markup}: cannot be decoded", "settings": settings(format="tar"), "metrics": {}, "repeats": []}]
    return run_of(cells, question=markup, config_name=markup, command=markup, config_text=markup,
                  environment={"facts": {markup: markup}, "warnings": [markup]})


def write(path, run):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(run))
    return path
