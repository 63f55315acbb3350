# SPDX-License-Identifier: Apache-2.0
"""What each batch costs in a DataLoader's worker: fetch and collate, wall and CPU time.

Workers write into a file beside the socket, a ring of 64 batches for each worker, which the training process maps, too. A worker
finds its ring by its number among its parent's processes, which it knows however it was started (fork, spawn, forkserver).
"""
from __future__ import annotations

import functools
import mmap
import multiprocessing
import os
import time
from typing import Any, Callable

_RINGS = 1024  # a place is used again by a process that is 1024 processes younger
_BATCHES = 64
_WORDS = 1 + 2 * _BATCHES  # the number of batches so far; wall and CPU time of each of the last 64, in ns
_BYTES = _RINGS * _WORDS * 8


def _path(process: int) -> str:
    return os.path.join(os.path.dirname(os.environ["FEEDRATE_RUN"]), f"fetches.{process}")


def _map(descriptor: int) -> memoryview:
    try:
        return memoryview(mmap.mmap(descriptor, _BYTES)).cast("q")
    finally:
        os.close(descriptor)


class FetchTable:
    """The training process's side. add() and take() may be called by two threads. Raises OSError if there can be no file."""

    def __init__(self) -> None:
        self._path = _path(os.getpid())
        if os.path.lexists(self._path):  # of a program that this process was before an exec
            os.unlink(self._path)
        descriptor = os.open(self._path, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
        os.ftruncate(descriptor, _BYTES)
        self._words = _map(descriptor)
        self._owners: dict[int, tuple[int, int]] = {}
        self._seen = [0] * _RINGS

    def add(self, loader: int, workers: list[Any]) -> None:
        for number, worker in enumerate(workers):
            self._owners[worker._identity[-1] % _RINGS] = (loader, number)

    def take(self) -> list[int]:
        """Of each new batch: loader, worker, wall and CPU time in ns; of no more than a worker's last 64."""
        rows: list[int] = []
        for ring, owner in list(self._owners.items()):
            begin = ring * _WORDS
            count = self._words[begin]
            for batch in range(max(self._seen[ring], count - _BATCHES), count):
                place = begin + 1 + 2 * (batch % _BATCHES)
                rows.extend((*owner, self._words[place], self._words[place + 1]))
            self._seen[ring] = count
        return rows

    def remove(self) -> None:
        os.unlink(self._path)


def _own_ring() -> memoryview:
    """Of this process, a worker. Raises OSError where the training process has made no file."""
    parent = multiprocessing.parent_process()
    words = _map(os.open(_path(parent.pid if parent else 0), os.O_RDWR | os.O_CLOEXEC))
    begin = multiprocessing.current_process()._identity[-1] % _RINGS * _WORDS
    return words[begin : begin + _WORDS]


def timing_worker(loop: Callable[..., None], fetchers: list[type]) -> Callable[..., None]:
    """What a worker runs, so that it times its fetchers. A loop without workers keeps PyTorch's."""

    @functools.wraps(loop)  # the name, too, by which spawn finds it
    def timing_loop(*arguments: Any, **named: Any) -> None:
        try:
            ring = _own_ring()
            for fetcher in fetchers:
                fetcher.fetch = _timed(fetcher.fetch, ring)
        except Exception:
            pass
        loop(*arguments, **named)

    return timing_loop


def _timed(fetch: Callable[[Any, Any], Any], ring: memoryview) -> Callable[[Any, Any], Any]:
    @functools.wraps(fetch)
    def timed_fetch(fetcher: Any, index: Any) -> Any:
        wall, cpu = time.monotonic_ns(), time.thread_time_ns()
        data = fetch(fetcher, index)
        place = 1 + 2 * (ring[0] % _BATCHES)
        ring[place], ring[place + 1] = time.monotonic_ns() - wall, time.thread_time_ns() - cpu
        ring[0] += 1  # last: it makes the others count
        return data

    return timed_fetch
