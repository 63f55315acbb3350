# SPDX-License-Identifier: Apache-2.0
"""Prevents effects of a load in a trial worker of a loader with num_workers=0, because the training process may load the same samples.

A load must not change the dataset's state, the random states or files, and must not print. An exception prevents the attempt, or
reports the change right after the load. The training process then loads the batch, with its effects.
"""
from __future__ import annotations

import io
import os
import sys
import threading
import warnings
from typing import Any, Callable, Optional

from torch.utils.data._utils import fetch

from .fingerprint import take
from .random_states import are_equal, random_states
from .snapshot import Snapshot

FORBIDDEN = "EffectOfLoading"  # the name of the exception, to find its text in PyTorch's

_FIRST_LOADS = 3  # these may set up state that each process needs
_PATH_EVENTS = {"os.remove", "os.rename", "os.mkdir", "os.rmdir", "os.link", "os.symlink", "os.truncate", "shutil.move", "shutil.rmtree"}
_WRITES = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND
_HARMLESS = ("/dev/", "/proc/")


class EffectOfLoading(Exception):
    """The text states why the loader cannot be tuned."""


def guard_loads(twice: int = 0) -> None:
    """Called once in a worker. `twice`: so many of its first loads are made twice, and the second one counts: if loading depends on
    earlier loads, the batch then differs from that of the training process."""
    sys.stdout = _NoOutput()
    if warnings.showwarning.__module__ != "warnings":
        warnings.showwarning = _take_no_warning
    sys.addaudithook(_forbid_writing)
    for fetcher in (fetch._MapDatasetFetcher, fetch._IterableDatasetFetcher):
        fetcher.fetch = _guarded(fetcher.fetch, twice)


def _take_no_warning(*_: Any, **__: Any) -> None:
    raise EffectOfLoading("Loading warns, and the script takes the warnings; those of workers would not reach it.")


class _NoOutput(io.TextIOBase):
    def write(self, text: str) -> int:
        raise EffectOfLoading("Loading prints; with workers its output would come at other times.")


_loading_thread = 0  # nonzero during a load; PyTorch's other threads may write files to send batches


def forbid_writing_here() -> None:
    """Forbids writing in this thread from now on. Call guard_loads() first."""
    global _loading_thread
    _loading_thread = threading.get_ident()


def _forbid_writing(event: str, arguments: tuple[Any, ...]) -> None:
    if threading.get_ident() != _loading_thread:
        return
    is_write = event in _PATH_EVENTS or (event == "open" and isinstance(arguments[2], int) and arguments[2] & _WRITES)
    if is_write and isinstance(arguments[0], (str, bytes)) and not os.fsdecode(arguments[0]).startswith(_HARMLESS):
        raise EffectOfLoading(f"Loading changes files ({os.fsdecode(arguments[0])}); workers would do so at other times, or twice.")


def _guarded(usual: Callable[[Any, Any], Any], twice: int) -> Callable[[Any, Any], Any]:
    guard: list[_Guard] = []

    def guarded_fetch(fetcher: Any, item: Any) -> Any:
        if not guard:
            guard.append(_Guard(fetcher, twice))
        return guard[0].load(lambda: usual(fetcher, item))

    return guarded_fetch


class _Guard:
    def __init__(self, fetcher: Any, twice: int) -> None:
        self._fetcher = fetcher
        self._twice = twice
        self._state: Optional[Snapshot] = None
        self._loads = 0

    def load(self, usual: Callable[[], Any]) -> Any:
        global _loading_thread
        state = self._state
        before = None if state is None else (state.quick(), random_states())
        forbid_writing_here()
        try:
            batch = usual()
            if self._loads < self._twice:
                batch = usual()
        finally:
            _loading_thread = 0
        self._loads += 1
        if state is not None and before is not None:
            change = state.change_since(before[0])
            if change is not None:
                raise EffectOfLoading(f"Loading changes {change}; workers would change copies of their own.")
            if not are_equal(before[1], random_states()):
                raise EffectOfLoading("Loading draws random numbers at times, which workers would draw from generators of their own.")
        elif self._loads >= _FIRST_LOADS:
            self._state = take({"dataset": self._fetcher.dataset, "collate_fn": self._fetcher.collate_fn})
        return batch
