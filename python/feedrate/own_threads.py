# SPDX-License-Identifier: Apache-2.0
"""Names feedrate's threads in the user's process, and suppresses the warning that they would cause.

Python 3.12 and later warn of a fork in a process with several threads. If feedrate's thread is the only other one, the fork is safe:
that thread holds no lock or state that the child needs.
"""
from __future__ import annotations

import os
import re
import sys
import threading
import warnings
from typing import Any

NAME = "feedrate"

_OF_A_FORK = ("ignore", re.compile("This process .* is multi-threaded, use of fork", re.I), DeprecationWarning, None, 0)


def _before_fork() -> None:
    try:
        others = len(os.listdir("/proc/self/task")) - sum(thread.name == NAME for thread in threading.enumerate())
        filters: Any = warnings.filters
        while _OF_A_FORK in filters:
            filters.remove(_OF_A_FORK)
        if others == 1:
            filters.insert(0, _OF_A_FORK)
    except Exception:
        pass


if sys.version_info >= (3, 12):
    os.register_at_fork(before=_before_fork)
