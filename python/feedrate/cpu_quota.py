# SPDX-License-Identifier: Apache-2.0
"""The CPU quota of this process's control groups: cpu.max (v2) or cpu.cfs_quota_us (v1), the lowest of all levels."""
from __future__ import annotations

import math
import os
from collections.abc import Iterator
from typing import Optional

_ROOT = "/sys/fs/cgroup"


def usable_cpus(affinity: int, root: str = _ROOT, membership: str = "/proc/self/cgroup") -> int:
    """Returns at least 1. A fraction counts as a CPU, as it can keep a thread busy at times. `affinity`: CPUs in the scheduler's mask."""
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
    """The group's folder and its parents. Inside a container the group's own folder is the root."""
    parts = [part for part in path.split("/") if part]
    return (os.path.join(root, *parts[:count]) for count in range(len(parts), -1, -1))


def _ratio(quota: str, period: str) -> Optional[float]:
    try:
        return float(quota) / float(period) if float(quota) > 0 and float(period) > 0 else None
    except ValueError:
        return None


def _text(path: str) -> str:
    try:
        with open(path, encoding="ascii") as file:
            return file.read().strip()
    except (OSError, ValueError):
        return ""
