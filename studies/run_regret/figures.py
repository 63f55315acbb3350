# SPDX-License-Identifier: Apache-2.0
"""The arithmetic of the study: the oracle, regret, whether feedrate's claims hold, and intervals of paired differences."""
from __future__ import annotations

import math
import random
import statistics
from collections.abc import Sequence

Rates = dict[str, dict[int, float]]  # seconds per step of each setting, by round


def oracle(grid: Rates) -> str:
    full = max(map(len, grid.values()))
    return min((one for one in grid if len(grid[one]) == full), key=lambda one: geometric_mean(grid[one].values()))


def best_seconds(grid: Rates) -> float:
    """Seconds per step at the oracle. Half of the rounds choose it and the other half rate it, so that noise does not flatter it."""
    full = {one: rounds for one, rounds in grid.items() if len(rounds) == max(map(len, grid.values()))}
    seconds = []
    for first in (0, 1):
        chosen = min(full, key=lambda one: geometric_mean(half(full[one], first)))
        seconds.append(geometric_mean(half(full[chosen], 1 - first)))
    return geometric_mean(seconds)


def half(rounds: dict[int, float], first: int) -> list[float]:
    return [seconds for turn, seconds in rounds.items() if turn % 2 == first] or list(rounds.values())


def rate_against_oracle(grid: Rates, chosen: str) -> float:
    return best_seconds(grid) / geometric_mean(grid[chosen].values())


def ratio(grid: Rates, one: str, other: str) -> float:
    common = grid[one].keys() & grid[other].keys()
    return geometric_mean([grid[other][turn] / grid[one][turn] for turn in common])


def first_steps(seconds: float, seconds_a_step_later: float, steps: int, wanted: int) -> float:
    """The time of `wanted` steps, extrapolated from fewer: later steps take as long as their second half."""
    return seconds + max(0, wanted - steps) * seconds_a_step_later


def geometric_mean(values: Sequence[float]) -> float:
    return math.exp(statistics.mean(map(math.log, values)))


def median_interval(differences: Sequence[float], draws: int = 4000) -> tuple[float, float, float]:
    """The median and its 95 % bootstrap interval."""
    random_ = random.Random(0)
    medians = sorted(statistics.median(random_.choices(differences, k=len(differences))) for _ in range(draws))
    return statistics.median(differences), medians[int(0.025 * draws)], medians[int(0.975 * draws) - 1]
