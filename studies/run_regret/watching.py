# SPDX-License-Identifier: Apache-2.0
"""Measures the cost per step of watching, and of tuning once it is over: a loop of tiny steps, in rounds, in random order."""
from __future__ import annotations

import os
import random
import subprocess
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Optional

from .figures import median_interval
from .measurements import Measurements
from .subjects import SCRIPTS, Tools

LOOP = SCRIPTS / "tiny_loop.py"
MODES = {"plain": None, "watched": [], "tuned": ["--tune"]}
WARM_UP = 0.5  # seconds
BATCH_SIZES = (8, 64)  # two sizes to count allocations, whose difference gives those per sample


@dataclass(frozen=True)
class Watching:
    tools: Tools
    known: Measurements
    rounds: int
    steps: int
    tuning_seconds: float  # after this time trials are over

    def run(self, log: Callable[[str], None]) -> None:
        for turn in range(self.rounds):
            for kind in random.Random(turn).sample(list(MODES), k=len(MODES)):
                self._measure("tiny_loop", kind, {turn: BATCH_SIZES[0]})
            log(f"tiny_loop: round {turn + 1} of {self.rounds}")
        preload = _compile(self.tools.home)
        for kind in MODES:
            self._measure("allocations", kind, {batch_size: batch_size for batch_size in BATCH_SIZES}, preload)

    def _measure(self, script: str, kind: str, batch_sizes: dict[int, int], preload: Optional[Path] = None) -> None:
        """`batch_sizes`: repeat -> batch size."""
        if self.known.of(script=script, kind=kind, repeat=next(iter(batch_sizes))):
            return
        warm_up = self.tuning_seconds if kind == "tuned" else WARM_UP
        sizes = map(str, batch_sizes.values())
        words = ["--batch-sizes", *sizes, "--steps", str(self.steps), "--warm-up", str(warm_up)]
        rows, _, foreign = self.tools.run(LOOP, words, MODES[kind], preload)
        self.known.add(*({"script": script, "kind": kind, "repeat": repeat, "steps": self.steps, "seconds": wall, "cpu_seconds": cpu,
                          "allocations": allocations, "foreign": foreign} for repeat, (wall, cpu, allocations) in zip(batch_sizes, rows)))


def _compile(home: Path) -> Path:
    library = home / "count_allocations.so"
    source = Path(__file__).parent / "count_allocations.c"
    subprocess.run([os.environ.get("CC", "cc"), "-shared", "-fPIC", "-O2", "-o", library, source], check=True)
    return library


def markdown(known: Measurements) -> str:
    rounds = {kind: {row["repeat"]: row for row in known.of(script="tiny_loop", kind=kind)} for kind in MODES}
    if not rounds["plain"]:
        return ""
    lines = [
        "| a step of a loop without work | plain | + watched, µs | + tuned, after its trials, µs |",
        "|---|---|---|---|",
    ]
    for name, column in (("wall time", "seconds"), ("CPU time of the process", "cpu_seconds")):
        plain, _, _ = median_interval([_microseconds(row, column) for row in rounds["plain"].values()])
        cells = [_difference(rounds["plain"], rounds[kind], column) for kind in ("watched", "tuned")]
        lines.append(f"| {name} | {plain:.1f} µs | {' | '.join(cells)} |")
    cells = [_allocations(known, kind) for kind in ("watched", "tuned")]
    lines.append(f"| allocations a step, a sample | | {' | '.join(cells)} |")
    note = f"Medians of the differences within {len(rounds['plain'])} rounds, and their bootstrap intervals of 95 %."
    return "\n".join([*lines, "", note])


def _microseconds(row: dict[str, str], column: str) -> float:
    return 1e6 * float(row[column]) / int(row["steps"])


def _difference(plain: dict[str, dict[str, str]], other: dict[str, dict[str, str]], column: str) -> str:
    differences = [_microseconds(other[turn], column) - _microseconds(plain[turn], column) for turn in plain.keys() & other.keys()]
    if not differences:
        return ""
    middle, low, high = median_interval(differences)
    return f"{middle:.2f} ({low:.2f} to {high:.2f})"


def _allocations(known: Measurements, kind: str) -> str:
    """Allocations in excess of the plain loop: per step with the smaller batch, and per additional sample."""
    more = []
    for batch_size in BATCH_SIZES:
        rows = known.of(script="allocations", kind=kind, repeat=batch_size), known.of(script="allocations", kind="plain", repeat=batch_size)
        if not all(rows):
            return ""
        (own,), (plain,) = rows
        more.append((int(own["allocations"]) - int(plain["allocations"])) / int(own["steps"]))
    return f"{more[0]:.2f}, {(more[1] - more[0]) / (BATCH_SIZES[1] - BATCH_SIZES[0]):.3f}"
