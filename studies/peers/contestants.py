# SPDX-License-Identifier: Apache-2.0
"""The contestants, and how one is measured: by `feedrate sweep`, by `feedrate limits`, by a peer's script, or raw in C."""
from __future__ import annotations

import csv
import json
import math
import shutil
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Optional, Protocol

from .data import Failed
from .tools import Tools, why_not

LEAST_STEPS = 8
MOST_STEPS = 20_000  # each step leaves its times in run.json


class Way(Protocol):
    def measure(self, tools: Tools, name: str, seconds: float, guess: Optional[float]) -> float:
        """Measures for about `seconds`. `guess`: the previous result. Raises Failed."""

    def why_not(self, tools: Tools) -> str:
        """Why it cannot be measured here; empty if it can."""


@dataclass(frozen=True)
class Contestant:
    row: str
    name: str
    workers: Optional[int]
    unit: str  # samples/s, batches/s, records/s: higher is better; s: lower is better
    way: Way = field(compare=False)
    data: tuple[str, ...] = ()

    @property
    def title(self) -> str:
        return f"{self.row}: {self.name}" + ("" if self.workers is None else f", W={self.workers}")


Cell = dict[str, str]


@dataclass(frozen=True)
class Sweep:
    """A sweep with the mock trainer that discards batches: measures the loader alone."""

    config: str
    batch: int
    figure: Callable[[Cell], float]
    steps: Optional[int] = None  # set if the figure is not a rate

    def why_not(self, tools: Tools) -> str:
        return ""

    def measure(self, tools: Tools, name: str, seconds: float, guess: Optional[float]) -> float:
        shutil.rmtree(tools.home / "sweep", ignore_errors=True)
        steps = self.steps or _steps(seconds, guess, self.batch)
        config = _write_config(tools, name, self.config)
        tools.run([tools.feedrate, "sweep", config, "--steps", str(steps), "--out", "sweep", "--force"], codes=(0, 1))
        cell = _only_cell(tools.home / "sweep" / "cells.csv")
        if cell["cached_before"] and float(cell["cached_before"]) < 0.99:
            raise Failed(f"only {float(cell['cached_before']):.0%} of the data were in the page cache: too little memory")
        return self.figure(cell)


def _only_cell(path: Path) -> Cell:
    try:
        with path.open(newline="") as file:
            cells = list(csv.DictReader(file))
    except OSError as error:
        raise Failed(f"feedrate sweep left no cells: {error}") from None
    if len(cells) != 1 or cells[0]["outcome"] != "ok":
        raise Failed("; ".join(f"{cell['outcome']}: {cell['reason']}" for cell in cells) or "feedrate sweep left no cell")
    return cells[0]


def _write_config(tools: Tools, name: str, text: str) -> str:
    """Keeps the file, so that a measurement can be repeated by hand."""
    file = "-".join("".join(letter if letter.isalnum() else " " for letter in name).split()).lower() + ".yaml"
    (tools.home / "configs").mkdir(exist_ok=True)
    (tools.home / "configs" / file).write_text(f"# How fast is {name}?\n{text}")
    return f"configs/{file}"


def _steps(seconds: float, guess: Optional[float], batch: int) -> int:
    if guess is None:
        return LEAST_STEPS
    return min(max(math.ceil(seconds * guess / batch), LEAST_STEPS), MOST_STEPS)


def rate(cell: Cell) -> float:
    return float(cell["samples_per_second"])


def first_batch(cell: Cell) -> float:
    return float(cell["first_batch_time"])


def overhead(cell: Cell) -> float:
    """The rest of a step with one sample, without reading, decoding and transforms."""
    return float(cell["step_time"]) - sum(float(cell[stage] or 0) for stage in ("read_time", "decode_time", "transform_time"))


def waiting(cell: Cell) -> float:
    return float(cell["wait_time"])


@dataclass(frozen=True)
class Limits:
    """One row of `feedrate limits`, with a configuration for its dataset."""

    only: str
    config: str = ""

    def why_not(self, tools: Tools) -> str:
        return ""

    def measure(self, tools: Tools, name: str, seconds: float, guess: Optional[float]) -> float:
        words = [tools.feedrate, "limits", "--only", self.only, "--min-time", f"{seconds:g}", "--json"]
        if self.config:
            words.append(_write_config(tools, name, self.config))
        out = tools.run(words, codes=(0, 1))  # code 1: the row gives the reason
        try:
            answer = json.loads(out)
        except ValueError:
            raise Failed(f"feedrate limits: {out.strip()[-500:] or 'it printed nothing'}") from None
        rows = answer["limits"]
        if len(rows) != 1 or rows[0]["value"] is None or rows[0].get("warning"):
            reasons = [row["warning"] for row in rows if "warning" in row] + [one["reason"] for one in answer["left_out"]]
            raise Failed("; ".join(reasons) or f"--only {self.only}: {len(rows)} limits instead of one")
        return rows[0]["value"]


@dataclass(frozen=True)
class Script:
    """A peer: its script in loaders/, the modules that it imports, and its job without the seconds."""

    script: str
    modules: tuple[str, ...]
    job: dict[str, Any]

    def why_not(self, tools: Tools) -> str:
        return why_not(lambda: tools.python(self.modules))

    def measure(self, tools: Tools, name: str, seconds: float, guess: Optional[float]) -> float:
        return tools.loader(self.script, self.modules, {**self.job, "seconds": seconds})


@dataclass(frozen=True)
class Raw:
    """Reads only the records' bytes, in C."""

    mode: str  # pread, memcpy
    data: str

    def why_not(self, tools: Tools) -> str:
        return why_not(lambda: tools.compile("raw_read.c"))

    def measure(self, tools: Tools, name: str, seconds: float, guess: Optional[float]) -> float:
        words = [str(tools.compile("raw_read.c")), self.mode, tools.datasets.file(self.data), f"{seconds:g}"]
        return float(json.loads(tools.run(words, tools.datasets.record_offsets(self.data)))["value"])
