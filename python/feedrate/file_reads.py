# SPDX-License-Identifier: Apache-2.0
"""Whether loading reads on in a file that stays open: what it loads depends on what it has read before then, and on who has read it.

A file that is read by seeking moves as well, to the same place for the same sample. The calls of seek() tell the two apart.
"""
from __future__ import annotations

import os
import stat
import sys
from typing import Any, Optional

Files = list[tuple[int, Any]]  # with the index of their entries in a snapshot


class FileReads:
    """A context manager looks at `files`, which are open, around a part of the program."""

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
        """The index of a file that was read without a seek; None: there is none."""
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
    """None: it is read line by line in a loop that goes on."""
    try:
        return int(file.tell())
    except Exception:
        return None


def _is_regular(file: Any) -> bool:
    try:
        return bool(file.readable()) and stat.S_ISREG(os.fstat(file.fileno()).st_mode)
    except Exception:
        return False
