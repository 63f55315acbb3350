# SPDX-License-Identifier: Apache-2.0
"""How many CPUs the control groups of this process leave it: cpu.max of version 2, cpu.cfs_quota_us of version 1, at all levels."""
from __future__ import annotations

import math
import os
from collections.abc import Iterator
from typing import Optional

_ROOT = "/sys/fs/cgroup"


def usable_cpus(affinity: int, root: str = _ROOT, membership: str = "/proc/self/cgroup") -> int:
    """At least 1. A part of a CPU counts as one, since it can keep a thread busy at times. `affinity`: the CPUs of the scheduler's mask."""
    quotas = [quota for quota in _quotas(root, membership) if quota is not None]
    return max(1, min([affinity, *(math.ceil(quota) for quota in quotas)]))


def _quotas(root: str, membership: str) -> Iterator[Optional[float]]:
    for line in _text(membership).splitlines():
        _, controllers, path = line.split(":", 2)
        if controllers == "":
            for folder in _levels(root, path):
                words = _text(os.path.join(folder, "cpu.max")).split()
                yield _ratio(*words) if len(words) == 2 else None
        elif "cpu" in controllers.split(","):
            for folder in _levels(os.path.join(root, "cpu"), path):
                yield _ratio(_text(os.path.join(folder, "cpu.cfs_quota_us")), _text(os.path.join(folder, "cpu.cfs_period_us")))


def _levels(root: str, path: str) -> Iterator[str]:
    """The group's folder and those above it. In a container the group's own folder is the root."""
    parts = [part for part in path.split("/") if part]
    return (os.path.join(root, *parts[:count]) for count in range(len(parts), -1, -1))


def _ratio(quota: str, period: str) -> Optional[float]:
    try:
        return float(quota) / float(period) if float(quota) > 0 and float(period) > 0 else None
    except ValueError:  # "max", or no such file
        return None


def _text(path: str) -> str:
    try:
        with open(path, encoding="ascii") as file:
            return file.read().strip()
    except (OSError, ValueError):
        return ""
