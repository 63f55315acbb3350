# SPDX-License-Identifier: Apache-2.0
"""Detects changes of state by loading in a loader's own workers. A dataset that keeps state from load to load, such as a generator, a
counter or a buffer, loads other samples if another number of workers divides the same loads.

A worker compares the full state (fingerprint.py) around its first loads and the quick state around later ones, and writes a change to
a file in the socket's folder.
"""
from __future__ import annotations

import os
from typing import Any, Callable, Optional

from .file_reads import FileReads
from .fingerprint import take
from .snapshot import Snapshot, first_change

_FIRST_LOADS = 3  # these may set up lasting state
_LAST_FULL_LOAD = 8
_LAST_LOAD = 100

_is_told = bool(os.environ.get("FEEDRATE_TUNE"))


def tell_workers_to_watch() -> None:
    """Makes workers that are forked from now on watch their loads."""
    global _is_told
    _is_told = True


def found(workers: set[int]) -> Optional[str]:
    """Why the number of workers affects what is loaded, if one of these processes has found it; else None."""
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
    """Watches the loads of this worker. `roots`: the state to compare."""

    def __init__(self, roots: dict[str, Any], parent: int) -> None:
        self._roots = roots
        self._parent = parent
        self._loads = 0
        self._state: Optional[Snapshot] = None

    def around(self, load: Callable[[], Any]) -> Any:
        if self._loads > _LAST_LOAD:
            return load()
        self._loads += 1
        compared = self._compared_fully if self._loads <= _LAST_FULL_LOAD else self._compared_quickly
        result, change = compared(load)
        if change is not None and self._loads > _FIRST_LOADS:
            self._report(change)
            self._loads = _LAST_LOAD
        if self._loads == _LAST_LOAD:
            self._state = None
            self._loads += 1
        return result

    def _compared_fully(self, load: Callable[[], Any]) -> tuple[Any, Optional[str]]:
        before = take(self._roots)
        with FileReads(before.files) as reads:
            result = load()
        index = reads.read_on()
        self._state = take(self._roots)
        return result, before.path(index) if index is not None else first_change(before, self._state)

    def _compared_quickly(self, load: Callable[[], Any]) -> tuple[Any, Optional[str]]:
        assert self._state is not None
        before = self._state.quick()
        result = load()
        return result, self._state.change_since(before)

    def _report(self, change: str) -> None:
        with open(_path(self._parent), "a", encoding="utf-8") as file:
            file.write(f"{os.getpid()} {change}\n")


def watch_loads(arguments: tuple[Any, ...], parent: int) -> Optional[WorkerState]:
    """`arguments`: those of PyTorch's _worker_loop: the dataset, or a list with it, is the second, and collate_fn the seventh. Returns
    None if nothing is tuned."""
    if not _is_told or len(arguments) < 7:
        return None
    dataset = arguments[1][0] if type(arguments[1]) is list else arguments[1]
    return WorkerState({"dataset": dataset, "collate_fn": arguments[6]}, parent)


def _path(process: int) -> str:
    return os.path.join(os.path.dirname(os.environ["FEEDRATE_RUN"]), f"state.{process}")
