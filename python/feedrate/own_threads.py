# SPDX-License-Identifier: Apache-2.0
"""The threads of feedrate in the user's process, by their name.

Python 3.12 and later warn of a fork in a process with several threads. These alone are no reason: what they hold is nothing that
a child has a use for.
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
