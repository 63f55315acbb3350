# SPDX-License-Identifier: Apache-2.0
"""Writes table.md, which is complete after every repeat."""
from __future__ import annotations

import statistics
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Optional

from . import watching
from .figures import Rates, first_steps, geometric_mean, oracle, rate_against_oracle, ratio
from .measurements import Measurements
from .subjects import Subject, completed, settings_in, text_of

REGRET = 0.05
WITHIN = 0.02


@dataclass
class Run:
    regret: float
    chosen: str
    loss: float  # relative loss of rate against the oracle
    kept: Optional[bool]  # whether the claim about the loss holds; None: no claim
    confidence: Optional[float]
    gain_kept: Optional[bool]
    foreign: float


@dataclass
class Outcome:
    name: str
    own: str
    best: str
    own_loss: float
    untouched: float  # seconds of --steps steps
    oracle: float
    runs: list[Run] = field(default_factory=list)


def grid_of(known: Measurements, script: str) -> Rates:
    grid: Rates = {}
    for row in known.of(script=script, kind="grid"):
        grid.setdefault(row["settings"], {})[int(row["repeat"])] = float(row["seconds"])
    return grid


def outcome_of(known: Measurements, subject: Subject, steps: int) -> Optional[Outcome]:
    grid = grid_of(known, subject.name)
    seconds = {kind: [_seconds(row, steps) for row in known.of(script=subject.name, kind=kind)] for kind in ("untouched", "oracle")}
    if not grid or not all(seconds.values()):
        return None
    own = text_of(completed(subject.own))
    outcome = Outcome(subject.name, own, oracle(grid), 1 - rate_against_oracle(grid, own), geometric_mean(seconds["untouched"]), geometric_mean(seconds["oracle"]))
    for row in known.of(script=subject.name, kind="tuned"):
        outcome.runs.append(_run(row, grid, own, outcome.oracle, steps))
    return outcome


def _seconds(row: dict[str, str], steps: int) -> float:
    return first_steps(float(row["seconds"]), float(row["seconds_a_step_later"]), int(row["steps"]), steps)


def _run(row: dict[str, str], grid: Rates, own: str, oracle_seconds: float, steps: int) -> Run:
    chosen = row["chosen"]
    loss = 1 - rate_against_oracle(grid, chosen) if chosen in grid else 1.0
    gain_kept = None
    if row["gain"] and chosen in grid:
        rounding = 0.005
        gain_kept = float(row["gain_low"]) - rounding <= ratio(grid, chosen, own) <= float(row["gain_high"]) + rounding
    return Run(
        _seconds(row, steps) / oracle_seconds - 1,
        chosen,
        loss,
        loss <= float(row["tolerance"]) if row["tolerance"] else None,
        float(row["confidence"]) if row["confidence"] else None,
        gain_kept,
        float(row["foreign"]),
    )


def markdown(known: Measurements, subjects: Sequence[Subject], left_out: dict[str, str], head: Sequence[str], steps: int) -> str:
    outcomes = [one for one in (outcome_of(known, subject, steps) for subject in subjects) if one is not None and one.runs]
    parts = ["# What `feedrate run --tune` costs and finds", "\n".join(f"- {line}" for line in head)]
    if outcomes:
        parts += [_table(outcomes, steps), _totals(outcomes)]
    parts += [watching.markdown(known), *(f"Left out: {name}: {reason}" for name, reason in left_out.items())]
    return "\n\n".join(part for part in parts if part) + "\n"


def _table(outcomes: Sequence[Outcome], steps: int) -> str:
    lines = [
        f"| script | the user's setting | oracle | {steps:,} steps: at the oracle | untouched | tuned: regret, median (largest) | chosen | loss of rate, median (largest) | untouched's | stated | kept |",
        "|---|---|---|---|---|---|---|---|---|---|---|",
    ]
    for one in outcomes:
        lines.append(
            f"| {one.name} | {_short(one.own)} | {_short(one.best)} | {one.oracle:.1f} s | {100 * (one.untouched / one.oracle - 1):+.1f} % | "
            f"{_spread([run.regret for run in one.runs])} | {', '.join(sorted({_short(run.chosen) for run in one.runs}))} | "
            f"{_spread([run.loss for run in one.runs])} | {_percent(one.own_loss)} | {_stated(one.runs)} | {_kept([run.kept for run in one.runs])} |"
        )
    return "\n".join(lines)


def _totals(outcomes: Sequence[Outcome]) -> str:
    runs = [run for one in outcomes for run in one.runs]
    sure = [run for run in runs if run.confidence is not None and run.confidence >= 0.95]
    stated = [run.confidence for run in runs if run.confidence is not None]
    regrets = sum(statistics.median(run.regret for run in one.runs) <= REGRET for one in outcomes)
    found = sum(statistics.median(run.loss for run in one.runs) <= WITHIN for one in outcomes)
    lines = [
        f"- regret of at most {REGRET:.0%} (the median of a script's runs): {regrets} of {len(outcomes)} scripts, {sum(run.regret <= REGRET for run in runs)} of {len(runs)} runs",
        f"- chosen within {WITHIN:.0%} of the oracle's rate: {found} of {len(outcomes)} scripts, {sum(run.loss <= WITHIN for run in runs)} of {len(runs)} runs",
        f"- kept, of what is stated with 95 % and more: {_kept([run.kept for run in sure])}; of all that is stated, with {statistics.mean(stated) if stated else 0:.0%} in the mean: {_kept([run.kept for run in runs])}",
        f"- intervals of the gain that hold what the grid shows: {_kept([run.gain_kept for run in runs])}",
        f"- other programs took up to {max(run.foreign for run in runs):.0%} of the CPUs during a tuned run, in the median {statistics.median(run.foreign for run in runs):.0%}",
    ]
    return "\n".join(lines)


def _short(settings: str) -> str:
    values = settings_in(settings)
    return f"W={values['num_workers']}" + (f" pf={values['prefetch_factor']}" if values.get("prefetch_factor", 2) != 2 else "")


def _percent(value: float) -> str:
    return f"{100 * value:.1f} %"


def _spread(values: Sequence[float]) -> str:
    return f"{_percent(statistics.median(values))} ({_percent(max(values))})"


def _stated(runs: Sequence[Run]) -> str:
    stated = [run.confidence for run in runs if run.confidence is not None]
    return f"{min(stated):.0%} to {max(stated):.0%}" if stated else "–"


def _kept(kept: Sequence[Optional[bool]]) -> str:
    known = [one for one in kept if one is not None]
    return f"{sum(known)} of {len(known)}" if known else "–"
