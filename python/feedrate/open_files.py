# SPDX-License-Identifier: Apache-2.0
"""Whether a dataset reads through files that are open before its workers are forked.

A fork shares the place in each open file. Two processes that seek and read at the same time get what the other one asked for: no
error, but other bytes. One that reads with pread, or maps the file, as HDF5 and LMDB do, is safe. Which it is shows in the places:
they move. Linux only; elsewhere nothing is known.
"""
from __future__ import annotations

import contextlib
import os
import stat
from typing import Optional

_FOLDER = "/proc/self/fdinfo"
_FIRST = 3  # the standard streams are the script's
_BATCHES = "/dev/shm/torch_"  # of workers

Places = dict[tuple[int, int, int], int]  # of a descriptor, the device and the file


def places() -> Places:
    """Of the regular files that are open for reading."""
    found: Places = {}
    with contextlib.suppress(OSError):
        for name in os.listdir(_FOLDER):
            with contextlib.suppress(OSError, ValueError, KeyError):  # closed meanwhile
                _add(found, int(name))
    return found


def moved(before: Places) -> Optional[str]:
    """A file whose place is not what it was, or not its beginning where it was opened since; None: none."""
    for (descriptor, device, file), place in places().items():
        if place != before.get((descriptor, device, file), 0):
            path = _path_of(descriptor)
            if path and not path.startswith(_BATCHES):
                return path
    return None


def _path_of(descriptor: int) -> str:
    try:
        return os.readlink(f"/proc/self/fd/{descriptor}")
    except OSError:  # closed meanwhile
        return ""


def _add(found: Places, descriptor: int) -> None:
    status = os.fstat(descriptor)
    if descriptor < _FIRST or not stat.S_ISREG(status.st_mode):
        return
    with open(f"{_FOLDER}/{descriptor}", encoding="ascii") as file:
        info = dict(line.split(":", 1) for line in file.read().splitlines())
    if int(info["flags"], 8) & os.O_ACCMODE != os.O_WRONLY:
        found[descriptor, status.st_dev, status.st_ino] = int(info["pos"])
