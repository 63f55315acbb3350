# SPDX-License-Identifier: Apache-2.0
"""Writes summary.md, which is complete after every round."""
from __future__ import annotations

from collections.abc import Sequence
from typing import Optional

from .contestants import Contestant
from .ratios import Estimate, geometric_mean, mean, quotients
from .study import Study
from .targets import ROWS, Comparison


def markdown(study: Study, comparisons: Sequence[Comparison], everyone: Sequence[Contestant], head: Sequence[str]) -> str:
    parts = ["# feedrate and its peers", "\n".join(f"- {line}" for line in head), _targets(study, comparisons)]
    for row, about in ROWS.items():
        of_row = [contestant for contestant in everyone if contestant.row == row]
        if of_row:
            parts.append(f"## {row}\n\n{about}.\n\n{_rates(study, of_row)}")
    parts += [_absent(study), _disturbed(study), _data(study)]
    return "\n\n".join(part for part in parts if part) + "\n"


def _targets(study: Study, comparisons: Sequence[Comparison]) -> str:
    lines = [
        "Quotients are taken round by round: their geometric mean and Student's interval of 95 %; arithmetic means of all else.",
        "",
        "| row | what | feedrate | peer | found | 95 % | at least | goal | |",
        "|---|---|---|---|---|---|---|---|---|",
    ]
    lines += [_target(study, one) for one in comparisons]
    return "\n".join(lines)


def _target(study: Study, one: Comparison) -> str:
    ours = study.values(one.ours)
    peer, found = "", mean(list(ours.values()))
    unit = one.ours.unit
    if one.theirs is not None:
        theirs = study.values(one.theirs)
        above, below = (theirs, ours) if one.inverse else (ours, theirs)
        found = geometric_mean([one.factor * quotient for quotient in quotients(above, below)])
        peer, unit = _value(mean([value / one.factor for value in theirs.values()]), one.theirs.unit), "×"
    limits = ["–", "–", ""]
    if one.target is not None:
        limits = [*one.target.limits(lambda value: _text(value, unit)), one.target.verdict(found) if found else ""]
    if found is None:
        limits[2] = _why_missing(study, one)
    ours_text = _value(mean(list(ours.values())), one.ours.unit)
    return f"| {one.row} | {one.what} | {ours_text} | {peer} | {_value(found, unit)} | {_interval(found, unit)} | {' | '.join(limits)} |"


def _why_missing(study: Study, one: Comparison) -> str:
    reason = "no round in which both were undisturbed"
    for contestant in (one.ours, one.theirs):
        if contestant in study.absent:
            reason = _in_cell(study.absent[contestant])
    return f"not measured: {reason}"


def _data(study: Study) -> str:
    lines = [f"| {name} | {size / 1e6:,.1f} MB | {size / records:,.0f} B |" for name, size, records in study.data_sizes()]
    return "\n".join(["## Data", "", "| | | a record, with its overhead |", "|---|---|---|", *lines]) if lines else ""


def _rates(study: Study, contestants: Sequence[Contestant]) -> str:
    """A table with a line per name and a column per number of workers."""
    columns = sorted({contestant.workers for contestant in contestants}, key=lambda count: -1 if count is None else count)
    names = list(dict.fromkeys(contestant.name for contestant in contestants))
    unit = contestants[0].unit
    title = " | ".join("" if count is None else f"W={count}" for count in columns)
    lines = [f"| {unit} | {title} |", "|---|" + "---|" * len(columns)]
    for name in names:
        cells = [_rate(study, contestants, name, count) for count in columns]
        lines.append(f"| {name} | {' | '.join(cells)} |")
    return "\n".join(lines)


def _rate(study: Study, contestants: Sequence[Contestant], name: str, workers: Optional[int]) -> str:
    for contestant in contestants:
        if contestant.name == name and contestant.workers == workers:
            found = mean(list(study.values(contestant).values()))
            if found is None:
                return "absent" if contestant in study.absent else "–"
            return f"{_text(found.value, contestant.unit)}{_spread(found)}"
    return ""


def _absent(study: Study) -> str:
    """Each reason once, with all contestants that it concerns."""
    if not study.absent:
        return ""
    reasons: dict[str, list[str]] = {}
    for contestant, reason in study.absent.items():
        reasons.setdefault(reason, []).append(contestant.title)
    lines = [f"- {'; '.join(titles)}: {_in_cell(reason)}" for reason, titles in reasons.items()]
    return "## Absent\n\n" + "\n".join(lines)


def _disturbed(study: Study) -> str:
    counted = [one for one in study.measurements if one.outcome == "ok"]
    disturbed = [one for one in study.measurements if one.outcome == "disturbed"]
    failed = [one for one in study.measurements if one.outcome == "failed" and one.contestant not in study.absent]
    lines = [
        f"## Measurements\n\n{len(counted)} counted; {len(disturbed)} not, because others used the CPUs; {len(failed)} failed.",
        f"In those that count others took at most {max((one.foreign for one in counted), default=0.0):.1%} of the CPUs.",
    ]
    lines += [f"- round {one.turn}, {one.contestant.title}: {_in_cell(one.reason)}" for one in failed]
    return "\n".join(lines)


def _value(found: Optional[Estimate], unit: str) -> str:
    return "–" if found is None else _text(found.value, unit)


def _interval(found: Optional[Estimate], unit: str) -> str:
    if found is None or found.low is None or found.high is None:
        return "–"
    return f"{_text(found.low, unit)} to {_text(found.high, unit)}"


def _spread(found: Estimate) -> str:
    if found.low is None or found.high is None or found.value <= 0:
        return ""
    return f" ± {(found.high - found.low) / 2 / found.value:.1%}"


def _text(value: float, unit: str) -> str:
    if unit == "×":
        return f"{value:.3g}×" if value < 100 else f"{value:.0f}×"
    if unit == "s":
        return f"{value * 1e3:.3g} ms" if value >= 1e-3 else f"{value * 1e6:.3g} µs"
    if unit == "B/s":
        return f"{value / 1e9:.3g} GB/s"
    return f"{value:,.0f}/s" if value >= 100 else f"{value:.3g}/s"


def _in_cell(text: str) -> str:
    return text.replace("|", "/").replace("\n", " ")
