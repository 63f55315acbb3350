# SPDX-License-Identifier: Apache-2.0
"""Measures what each batch costs in a DataLoader's worker: wall and CPU time of fetch and collate.

Workers write into a file in the socket's folder, a ring of 64 batches per worker, which the training process reads. A worker finds
its ring by its number among its parent's processes, which it knows after fork, spawn and forkserver. Nobody maps the file, because
a full disk would then kill a worker.
"""
from __future__ import annotations

import functools
import multiprocessing
import os
import struct
import sys
import time
from typing import Any, Callable, Optional

from .debug import report
from .trial_workers import end_unnoticed, is_trial
from .worker_state import WorkerState, watch_loads

_RINGS = 1024  # a worker reuses the ring of the 1024th before it
_BATCHES = 64
_WORDS = 1 + 2 * _BATCHES  # the number of batches; wall and CPU time of each of the last 64, in ns
_BYTES = _WORDS * 8


def _path(process: int) -> str:
    return os.path.join(os.path.dirname(os.environ["FEEDRATE_RUN"]), f"fetches.{process}")


def _parent() -> int:
    parent = multiprocessing.parent_process()
    return (parent.pid if parent else None) or 0


class FetchTable:
    """The training process's side. add() and take() may run on two threads. Raises OSError if the file cannot be made."""

    def __init__(self) -> None:
        self._path = _path(os.getpid())
        if os.path.lexists(self._path):  # left by the program that this process was before an exec
            os.unlink(self._path)
        os.close(os.open(self._path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600))
        self._owners: dict[int, tuple[int, int]] = {}
        self._seen = [0] * _RINGS

    def add(self, loader: int, workers: list[Any]) -> None:
        for number, worker in enumerate(workers):
            self._owners[worker._identity[-1] % _RINGS] = (loader, number)

    def take(self) -> list[int]:
        """(loader, worker, wall and CPU time in ns) of each new batch, flattened; at most the last 64 of a worker."""
        owners = list(self._owners.items())
        try:
            with open(self._path, "rb", buffering=0) as file:
                return [word for ring, owner in owners for word in self._take_ring(file.fileno(), ring, owner)]
        except OSError:
            return []

    def _take_ring(self, file: int, ring: int, owner: tuple[int, int]) -> list[int]:
        words = struct.unpack(f"={_WORDS}q", os.pread(file, _BYTES, ring * _BYTES).ljust(_BYTES, b"\0"))
        rows: list[int] = []
        for batch in range(max(self._seen[ring], words[0] - _BATCHES), words[0]):
            offset = 1 + 2 * (batch % _BATCHES)
            rows.extend((*owner, *words[offset : offset + 2]))
        self._seen[ring] = words[0]
        return rows

    def remove(self) -> None:
        try:
            os.unlink(self._path)
        except OSError:
            pass


class _Ring:
    """The ring of this worker process. Raises OSError if the training process has made no file."""

    def __init__(self) -> None:
        self._file = os.open(_path(_parent()), os.O_RDWR | os.O_CLOEXEC)
        self._begin = multiprocessing.current_process()._identity[-1] % _RINGS * _BYTES
        self._count = int.from_bytes(os.pread(self._file, 8, self._begin), sys.byteorder)

    def add(self, wall: int, cpu: int) -> None:
        offset = self._begin + 8 * (1 + 2 * (self._count % _BATCHES))
        try:
            os.pwrite(self._file, struct.pack("=2q", wall, cpu), offset)
            self._count += 1
            os.pwrite(self._file, struct.pack("=q", self._count), self._begin)  # written last: it publishes the entry
        except OSError:
            pass


def timing_worker(loop: Callable[..., None], fetchers: list[Any]) -> Callable[..., None]:
    @functools.wraps(loop)  # keeps the name, by which spawn finds the loop
    def timing_loop(*arguments: Any, **named: Any) -> None:
        try:
            ring = _Ring()
            state = watch_loads(arguments, _parent()) if not is_trial(arguments) else None
            for fetcher in fetchers:
                fetcher.fetch = _timed(fetcher.fetch, ring, state)
        except Exception:
            report()
        try:
            loop(*arguments, **named)
        except BaseException:
            end_unnoticed(arguments)
            raise

    return timing_loop


def _timed(fetch: Callable[[Any, Any], Any], ring: _Ring, state: Optional[WorkerState]) -> Callable[[Any, Any], Any]:
    def timed(fetcher: Any, index: Any) -> Any:
        wall, cpu = time.monotonic_ns(), time.thread_time_ns()
        data = fetch(fetcher, index)
        cpu = time.thread_time_ns() - cpu  # read before the wall clock, so that its span is within the wall time
        ring.add(time.monotonic_ns() - wall, cpu)
        return data

    @functools.wraps(fetch)
    def watched_fetch(fetcher: Any, index: Any) -> Any:
        return timed(fetcher, index) if state is None else state.around(lambda: timed(fetcher, index))

    return watched_fetch
