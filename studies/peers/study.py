# SPDX-License-Identifier: Apache-2.0
"""The rounds: each contestant once per round, in a new random order, and again if other programs used the CPUs."""
from __future__ import annotations

import csv
import os
import random
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Optional

from .contestants import Contestant
from .data import Failed
from .machine import CpuMeter
from .tools import Tools

COLUMNS = (
    "round", "row", "contestant", "workers", "value", "unit", "outcome", "foreign_cpu", "load", "seconds", "at", "reason",
)  # fmt: skip
TRIAL_SECONDS = 1.0


@dataclass(frozen=True)
class Options:
    rounds: int
    seconds: float
    foreign: float  # the largest share of all CPUs that others may take
    attempts: int
    seed: int


@dataclass(frozen=True)
class Measurement:
    turn: int  # 0 is the trial
    contestant: Contestant
    value: Optional[float]
    outcome: str  # ok, disturbed, failed, trial
    foreign: float
    load: float
    seconds: float
    at: str
    reason: str = ""


class Study:
    """Runs a study and writes each measurement to `peers.csv` at once. One thread."""

    def __init__(self, tools: Tools, contestants: Sequence[Contestant], options: Options, csv_path: Path) -> None:
        self._tools = tools
        self._contestants = list(contestants)
        self._options = options
        self._random = random.Random(options.seed)
        self._took: dict[Contestant, float] = {}
        self._guess: dict[Contestant, float] = {}
        self._left = 0.0
        self.measurements: list[Measurement] = []
        self.absent: dict[Contestant, str] = {}  # the reason, by contestant that is not in the rounds
        self._file = csv_path.open("w", newline="", encoding="utf-8")
        self._writer = csv.writer(self._file)
        self._writer.writerow(COLUMNS)

    def run(self, after_round: Callable[[], None]) -> None:
        self._prepare()
        self._try_out()
        after_round()
        for turn in range(1, self._options.rounds + 1):
            order = self._random.sample(self._contestants, len(self._contestants))
            for number, contestant in enumerate(order):
                rounds_after = self._options.rounds - turn
                self._left = sum(map(self._expected, order[number:])) + rounds_after * sum(map(self._expected, order))
                self._measure_undisturbed(contestant, turn, f"round {turn} of {self._options.rounds}, {number + 1}/{len(order)}")
            after_round()

    def values(self, contestant: Contestant) -> dict[int, float]:
        found = {}
        for one in self.measurements:
            if one.contestant == contestant and one.outcome == "ok" and one.value is not None:
                found[one.turn] = one.value
        return found

    def data_sizes(self) -> list[tuple[str, int, int]]:
        datasets = self._tools.datasets
        return [(name, datasets.bytes(name), datasets.records(name)) for name in self._data() if datasets.bytes(name) > 0]

    def _prepare(self) -> None:
        for contestant in list(self._contestants):
            reason = contestant.way.why_not(self._tools)
            if reason:
                self._leave_out(contestant, reason)
        for name in self._data():
            try:
                self._tools.datasets.require(name, self._tools.pythons)
            except Failed as failure:
                for contestant in [one for one in self._contestants if name in one.data]:
                    self._leave_out(contestant, str(failure))

    def _try_out(self) -> None:
        """A short trial: excludes contestants that fail, and measures how long each takes."""
        everyone, seconds = list(self._contestants), min(TRIAL_SECONDS, self._options.seconds)
        for number, contestant in enumerate(everyone):
            measurement = self._measure(contestant, 0, seconds)
            self._log(f"trial, {number + 1}/{len(everyone)}", measurement)
            if measurement.outcome == "failed":
                self._leave_out(contestant, measurement.reason)
            else:
                self._took[contestant] = measurement.seconds + self._options.seconds - seconds

    def _leave_out(self, contestant: Contestant, reason: str) -> None:
        self.absent[contestant] = reason
        self._contestants.remove(contestant)

    def _measure_undisturbed(self, contestant: Contestant, turn: int, where: str) -> None:
        for _ in range(self._options.attempts):
            measurement = self._measure(contestant, turn, self._options.seconds)
            self._took[contestant] = measurement.seconds
            self._log(where, measurement)
            if measurement.outcome != "disturbed":
                return

    def _measure(self, contestant: Contestant, turn: int, seconds: float) -> Measurement:
        self._tools.datasets.warm(contestant.data)
        at = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
        begin, meter = time.monotonic(), CpuMeter()
        value, reason = None, ""
        try:
            value = contestant.way.measure(self._tools, contestant.title, seconds, self._guess.get(contestant))
            self._guess[contestant] = value
        except Failed as failure:
            reason = str(failure)
        except Exception as error:  # for example an unexpected answer; the others are measured all the same
            reason = f"{type(error).__name__}: {error}"
        foreign = meter.foreign(seconds)
        outcome = "failed" if reason else "trial" if turn == 0 else "disturbed" if foreign > self._options.foreign else "ok"
        measurement = Measurement(turn, contestant, value, outcome, foreign, os.getloadavg()[0], time.monotonic() - begin, at, reason)
        self._keep(measurement)
        return measurement

    def _keep(self, one: Measurement) -> None:
        self.measurements.append(one)
        who = one.contestant
        value = "" if one.value is None else f"{one.value:.9g}"
        workers = "" if who.workers is None else who.workers
        self._writer.writerow(
            [one.turn, who.row, who.name, workers, value, who.unit, one.outcome, f"{one.foreign:.4f}", f"{one.load:.2f}",
             f"{one.seconds:.2f}", one.at, one.reason]
        )  # fmt: skip
        self._file.flush()

    def _data(self) -> list[str]:
        return sorted({name for contestant in self._contestants for name in contestant.data})

    def _expected(self, contestant: Contestant) -> float:
        return self._took.get(contestant, self._options.seconds)

    def _log(self, where: str, one: Measurement) -> None:
        what = one.reason if one.value is None else f"{one.value:,.4g} {one.contestant.unit}"
        others = f" ({one.foreign:.0%} of the CPUs used by others)" if one.foreign >= 0.01 else ""
        again = ", not counted" if one.outcome == "disturbed" else ""
        left = f"; {_duration(self._left)} left" if self._left else ""
        print(f"[{where}] {one.contestant.title}: {what}{others}{again}{left}", file=sys.stderr, flush=True)


def _duration(seconds: float) -> str:
    return f"{seconds / 60:.0f} min" if seconds >= 90 else f"{seconds:.0f} s"
