# SPDX-License-Identifier: Apache-2.0
"""Detects whether a load continues reading in a file that stays open. Such a load depends on what was read before, and by whom.

A file that is read by seeking moves as well, but to the same offset for the same sample. Calls of seek() distinguish the two.
"""
from __future__ import annotations

import os
import stat
import sys
from typing import Any, Optional

Files = list[tuple[int, Any]]


class FileReads:
    def __init__(self, files: Files) -> None:
        self._files = [(index, file) for index, file in files if _is_regular(file)]
        self._before: list[Optional[int]] = []
        self._sought: set[int] = set()
        self._profiler: Any = None

    def __enter__(self) -> FileReads:
        if self._files:
            self._before = [_position(file) for _, file in self._files]
            self._profiler = sys.getprofile()
            sys.setprofile(self._note)
        return self

    def __exit__(self, *_: object) -> None:
        if self._files:
            sys.setprofile(self._profiler)

    def _note(self, frame: Any, event: str, called: Any) -> None:
        if event == "c_call" and getattr(called, "__name__", None) in ("seek", "lseek"):
            self._sought.add(_number(getattr(called, "__self__", None)))

    def read_on(self) -> Optional[int]:
        """The index of a file that was read without a seek, or None."""
        for (index, file), before in zip(self._files, self._before):
            after = _position(file)
            if (after is None or after != before) and not file.closed and _number(file) not in self._sought:
                return index
        return None


def _number(file: Any) -> int:
    try:
        return int(file.fileno())
    except Exception:
        return -1


def _position(file: Any) -> Optional[int]:
    """The offset, or None while a loop reads the file line by line."""
    try:
        return int(file.tell())
    except Exception:
        return None


def _is_regular(file: Any) -> bool:
    try:
        return bool(file.readable()) and stat.S_ISREG(os.fstat(file.fileno()).st_mode)
    except Exception:
        return False
