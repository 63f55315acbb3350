# SPDX-License-Identifier: Apache-2.0
"""Pulls items of a sampler ahead in a forked process, while the training process pulls an item only when its batch is due.

A sampler may read what the training changes (losses, weights, a generator), and its iterator cannot be rewound. Trial workers of a
loader with num_workers=0 therefore get items from a forked copy of the iterator. When a batch is due, the training process asks the
iterator itself; if that yields another item, the batch loaded ahead is not the one that the training would have loaded.
"""
from __future__ import annotations

import contextlib
import io
import os
import pickle
import signal
import socket
import sys
import weakref
from collections import deque
from collections.abc import Iterable
from typing import Any

import torch

from .descriptors import OwnDescriptor
from .inner_loader import Raised, Source
from .trial_guard import forbid_writing_here
from .trial_workers import TrialWorkerStart, fork_grandchild

_open: weakref.WeakSet[SamplerAhead] = weakref.WeakSet()


class SamplerAhead:
    """Replaces the source of a feed. `positions`: those of the pulled items whose batches are not yet compared, counted like
    Source.taken."""

    def __init__(self, source: Source, patience_s: float) -> None:
        self.positions: deque[int] = deque()
        self._next = source.taken
        self._returned: deque[bytes] = deque()
        self._pulled: deque[bytes] = deque()
        start = TrialWorkerStart(None, False, True)
        start.prepare()
        here, there = socket.socketpair()
        here.settimeout(patience_s)
        self._socket, self._descriptor, self._items = here, OwnDescriptor(here.fileno()), here.makefile("rb")
        _open.add(self)
        with there:
            self._process = fork_grandchild(lambda: _send_items(source, start, there), ())

    def pull(self) -> Any:
        """Raises StopIteration when the items end or the sampler raises, and OSError if no item arrives in time."""
        packed = self._returned.popleft() if self._returned else self._receive()
        item = pickle.loads(packed)
        self._pulled.append(packed)
        self.positions.append(self._next)
        self._next += 1
        return item

    def _receive(self) -> bytes:
        if not self._descriptor.is_ours():
            raise OSError("the script has closed feedrate's descriptors")
        try:
            return bytes(pickle.load(self._items))
        except socket.timeout:  # PyTorch hangs where it cannot start a thread
            with contextlib.suppress(ProcessLookupError):
                os.kill(self._process, signal.SIGKILL)
            raise
        except (EOFError, pickle.UnpicklingError):
            raise StopIteration from None

    def put_back(self, items: Iterable[Any]) -> None:
        for _ in items:
            self._returned.appendleft(self._pulled.pop())
            self._next = self.positions.pop()

    def passes(self, item: Any) -> bool:
        """Whether `item` equals the oldest pulled item that was not compared."""
        self.positions.popleft()
        packed = self._pulled.popleft()
        try:
            return _packed(item) == packed
        except Exception:
            return False

    def end(self) -> None:
        _open.discard(self)
        if self._descriptor.is_ours():
            with contextlib.suppress(OSError):
                self._socket.shutdown(socket.SHUT_RDWR)  # close() does not suffice, because other children may hold this end
        self.close()

    def close(self) -> None:
        if not self._descriptor.is_ours():
            self._socket.detach()
        self._items.close()
        self._socket.close()

    __del__ = end


def _packed(item: Any) -> bytes:
    return pickle.dumps(item, pickle.HIGHEST_PROTOCOL)


def _send_items(source: Source, start: TrialWorkerStart, connection: socket.socket) -> int:
    """Runs in the forked process until the items end, the sampler raises, or the other end is closed."""
    start(0)
    if torch.get_num_threads() > 1:
        torch.set_num_threads(1)  # a fork does not copy OpenMP's threads
    sys.stdout = sys.stderr = io.StringIO()
    forbid_writing_here()
    while source.peek() and type(source.look_at()) is not Raised:
        connection.sendall(_packed(_packed(source.pull())))
    return 0


def _leave_to_parent() -> None:
    for one in list(_open):
        one.close()
    _open.clear()


os.register_at_fork(after_in_child=_leave_to_parent)
