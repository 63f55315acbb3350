# SPDX-License-Identifier: Apache-2.0
"""What loading changes in a loader's own workers. A dataset that keeps a state from load to load, such as a generator, a counter or a
buffer, loads other samples where the same loads are divided among another number of workers.

A worker compares the state (fingerprint.py) around its first loads, and writes what has changed into a file beside the socket.
"""
from __future__ import annotations

import os
from typing import Any, Callable, Optional

from .fingerprint import first_change, take

_FIRST_LOADS = 3  # may set up what lasts
_LAST_LOAD = 8

_is_told = bool(os.environ.get("FEEDRATE_TUNE"))


def tell_workers_to_watch() -> None:
    """Those that are forked from here on."""
    global _is_told
    _is_told = True


def found(workers: set[int]) -> Optional[str]:
    """Why the number of workers decides what is loaded, by what one of these processes has found; None: none has."""
    try:
        with open(_path(os.getpid()), encoding="utf-8") as file:
            for line in file:
                process, _, path = line.rstrip("\n").partition(" ")
                if int(process) in workers:
                    return f"Loading changes {path} in its worker: another number of workers would load other samples."
    except (OSError, ValueError, KeyError):
        pass
    return None


class WorkerState:
    """In a worker, of its loads. `roots`: what is compared."""

    def __init__(self, roots: dict[str, Any], parent: int) -> None:
        self._roots = roots
        self._parent = parent
        self._loads = 0

    def around(self, load: Callable[[], Any]) -> Any:
        if self._loads > _LAST_LOAD:
            return load()
        before = take(self._roots)
        result = load()
        self._loads += 1
        if self._loads > _FIRST_LOADS:
            change = first_change(before, take(self._roots))
            if change is not None:
                self._loads = _LAST_LOAD + 1
                self._report(change)
        return result

    def _report(self, change: str) -> None:
        with open(_path(self._parent), "a", encoding="utf-8") as file:
            file.write(f"{os.getpid()} {change}\n")


def watch_loads(arguments: tuple[Any, ...], parent: int) -> Optional[WorkerState]:
    """`arguments`: those of PyTorch's _worker_loop, in which the dataset is the second, or in a list of one there, and collate_fn the
    seventh. None where nothing is tuned."""
    if not _is_told or len(arguments) < 7:
        return None
    dataset = arguments[1][0] if type(arguments[1]) is list else arguments[1]
    return WorkerState({"dataset": dataset, "collate_fn": arguments[6]}, parent)


def _path(process: int) -> str:
    return os.path.join(os.path.dirname(os.environ["FEEDRATE_RUN"]), f"state.{process}")
