# SPDX-License-Identifier: Apache-2.0
"""A file to which every measurement is appended, so that an interrupted study can continue."""
from __future__ import annotations

import csv
from pathlib import Path
from typing import Any

COLUMNS = [
    "script",
    "kind",  # grid, untouched, oracle, tuned; for the tiny loop: plain, watched, tuned, with allocations
    "repeat",
    "settings",  # at the start of the script
    "steps",
    "seconds",  # of all these steps; in the grid: of one
    "seconds_a_step_later",  # mean of the second half of the steps
    "cpu_seconds",
    "allocations",
    "foreign",  # share of the CPUs that other programs took during it
    "chosen",  # by feedrate, with its claims: see subjects.TuningResult
    "confidence",
    "tolerance",
    "considered",
    "tried",
    "cost_share",
    "gain",
    "gain_low",
    "gain_high",
]


class Measurements:
    def __init__(self, path: Path) -> None:
        self._path = path
        self.rows: list[dict[str, str]] = []
        if path.exists():
            with path.open(newline="") as file:
                self.rows = list(csv.DictReader(file))
        else:
            with path.open("w", newline="") as file:
                csv.DictWriter(file, COLUMNS).writeheader()

    def of(self, **wanted: Any) -> list[dict[str, str]]:
        return [row for row in self.rows if all(row[name] == str(value) for name, value in wanted.items())]

    def add(self, *rows: dict[str, Any]) -> None:
        """Appends all rows or none, in one write."""
        texts = [{name: _text(row.get(name)) for name in COLUMNS} for row in rows]
        with self._path.open("a", newline="") as file:
            csv.DictWriter(file, COLUMNS).writerows(texts)
        self.rows += texts


def _text(value: Any) -> str:
    return "" if value is None else f"{value:.6g}" if isinstance(value, float) else str(value)
