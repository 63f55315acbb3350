# SPDX-License-Identifier: Apache-2.0
"""The loop of the scripts, with its own stopwatch; it does not know about feedrate.

    image_decode.py --settings '{"num_workers": 2}' --steps 1000 --out times.json
    image_decode.py --grid '[{"num_workers": 0}, {"num_workers": 2}]' --rounds 4 --seconds 2 --out rates.json

The first command trains so many steps with these arguments of DataLoader and writes the time at which each of them ended. The second
measures several settings in rounds, in random order. Measurements exclude the batches that fill the pipeline at its start.
"""
from __future__ import annotations

import argparse
import gc
import json
import random
import time
from typing import Any, Callable

import torch

SURELY_SLOWER = 1.25  # than the best, in both of two rounds; such a setting gets no further round
FEWEST_TURNS = 2


def wait_for_gpu(milliseconds: float) -> Callable[[Any], None]:
    """A step that waits for the CPU time of a GPU's work."""
    return lambda batch: time.sleep(milliseconds / 1e3)


def use_cpu(milliseconds: float) -> None:
    """Decodes a sample, in effect: uses CPU time of this thread, however many threads share the cores."""
    end = time.thread_time() + milliseconds / 1e3
    while time.thread_time() < end:
        sum(range(200))


def train(make_loader: Callable[..., Any], step: Callable[[Any], None]) -> None:
    """`make_loader` takes the arguments that feedrate tunes; the others are the script's own."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--settings", type=json.loads, default={}, help="arguments of DataLoader, as JSON")
    parser.add_argument("--steps", type=int, default=1000, help="steps to train; default 1000")
    parser.add_argument("--grid", type=json.loads, help="list of settings to measure, as JSON")
    parser.add_argument("--rounds", type=int, default=4, help="rounds over the grid; default 4")
    parser.add_argument("--seconds", type=float, default=2.0, help="seconds a setting and round; default 2")
    parser.add_argument("--out", required=True, help="file for the result, JSON")
    arguments = parser.parse_args()
    torch.set_num_threads(1)
    gc.collect()  # otherwise the first steps would collect what the imports left
    if arguments.grid is None:
        result = train_steps(make_loader, step, arguments.settings, arguments.steps)
    else:
        result = measure(make_loader, step, arguments.grid, arguments.rounds, arguments.seconds)
    with open(arguments.out, "w") as file:
        json.dump(result, file)


def train_steps(make_loader: Callable[..., Any], step: Callable[[Any], None], settings: dict[str, Any], steps: int) -> list[float]:
    """The end of each step, in seconds since before the first epoch."""
    torch.manual_seed(0)
    loader = make_loader(**settings)
    ends: list[float] = []
    begun = time.perf_counter()
    while True:
        for batch in loader:
            step(batch)
            ends.append(time.perf_counter() - begun)
            if len(ends) == steps:
                return ends


def measure(make_loader: Callable[..., Any], step: Callable[[Any], None], grid: list[dict[str, Any]], rounds: int, seconds: float) -> list[dict[str, Any]]:
    """Rows of round, index in the grid, seconds per step."""
    rows: list[dict[str, Any]] = []
    for turn in range(rounds):
        chosen = worth_a_round(grid, rows, turn)
        for index in random.Random(turn).sample(chosen, k=len(chosen)):
            torch.manual_seed(turn)
            rows.append({"round": turn, "index": index, "seconds": seconds_a_step(make_loader(**grid[index]), step, grid[index], seconds)})
    return rows


def worth_a_round(grid: list[dict[str, Any]], rows: list[dict[str, Any]], turn: int) -> list[int]:
    if turn < 2:
        return list(range(len(grid)))
    least = [min(row["seconds"] for row in rows if row["index"] == index) for index in range(len(grid))]
    return [index for index, one in enumerate(least) if one <= SURELY_SLOWER * min(least)]


def seconds_a_step(loader: Any, step: Callable[[Any], None], settings: dict[str, Any], seconds: float) -> float:
    """Seconds per step, over whole turns of the workers, because batches come in bursts of num_workers."""
    workers = settings.get("num_workers", 0)
    discarded = max(workers * settings.get("prefetch_factor", 2), 5)
    turn, count, begun = max(workers, 1), 0, 0.0
    while True:
        for batch in loader:
            step(batch)
            count += 1
            now = time.perf_counter()
            if count == discarded:
                begun = now
            kept = count - discarded
            if kept >= FEWEST_TURNS * turn and kept % turn == 0 and now - begun >= seconds:
                return (now - begun) / kept
