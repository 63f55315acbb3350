# SPDX-License-Identifier: Apache-2.0
"""Statistics of the rounds: means, quotients round by round, and their 95 % intervals."""
from __future__ import annotations

import math
import statistics
from collections.abc import Callable
from dataclasses import dataclass
from typing import Optional, Sequence

# Student's t at 0.975 for 1, 2, 3 … degrees of freedom; the last one is used beyond, which is slightly too wide.
STUDENT = (
    12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228, 2.201, 2.179, 2.160, 2.145, 2.131,
    2.120, 2.110, 2.101, 2.093, 2.086, 2.080, 2.074, 2.069, 2.064, 2.060, 2.056, 2.052, 2.048, 2.045, 2.042,
)  # fmt: skip


@dataclass(frozen=True)
class Estimate:
    value: float
    low: Optional[float]  # None for a single round
    high: Optional[float]
    rounds: int


def mean(values: Sequence[float]) -> Optional[Estimate]:
    if not values:
        return None
    middle, count = statistics.mean(values), len(values)
    if count < 2:
        return Estimate(middle, None, None, count)
    half = STUDENT[min(count - 1, len(STUDENT)) - 1] * statistics.stdev(values) / math.sqrt(count)
    return Estimate(middle, middle - half, middle + half, count)


def geometric_mean(values: Sequence[float]) -> Optional[Estimate]:
    """The geometric mean of positive values, with Student's interval of their logarithms."""
    found = mean([math.log(value) for value in values])
    if found is None or found.low is None or found.high is None:
        return found and Estimate(math.exp(found.value), None, None, found.rounds)
    return Estimate(math.exp(found.value), math.exp(found.low), math.exp(found.high), found.rounds)


def quotients(above: dict[int, float], below: dict[int, float]) -> list[float]:
    """Quotients of the rounds in which both were measured: a change of the machine affects both sides of a round."""
    return [above[turn] / below[turn] for turn in sorted(above.keys() & below.keys()) if above[turn] > 0 and below[turn] > 0]


@dataclass(frozen=True)
class Agreement:
    """Requires that two ways to measure the same thing agree."""

    within: float  # a share, in both directions

    def limits(self, text: Callable[[float], str]) -> list[str]:
        return [f"± {self.within:.0%}", ""]

    def verdict(self, found: Estimate) -> str:
        agree = abs(math.log(found.value)) <= math.log1p(self.within)
        return ("agree" if agree else "differ") + (", one round" if found.low is None else "")


@dataclass(frozen=True)
class Target:
    least: float  # the target …
    goal: float  # … and the more ambitious one
    at_most: bool = False  # both are upper limits

    def limits(self, text: Callable[[float], str]) -> list[str]:
        sign = "≤ " if self.at_most else ""
        return [sign + text(self.least), sign + text(self.goal)]

    def verdict(self, found: Estimate) -> str:
        """The verdict by the estimate; "not sure" if the interval contains the limit."""
        for name, limit in (("goal met", self.goal), ("met", self.least)):
            if self._reaches(found.value, limit):
                return name + self._uncertainty(found, limit)
        return "missed" + self._uncertainty(found, self.least)

    def _reaches(self, value: float, limit: float) -> bool:
        return value <= limit if self.at_most else value >= limit

    @staticmethod
    def _uncertainty(found: Estimate, limit: float) -> str:
        if found.low is None or found.high is None:
            return ", one round"
        return ", not sure" if found.low < limit < found.high else ""
