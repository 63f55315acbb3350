# SPDX-License-Identifier: Apache-2.0
"""The clock marks of a training loop, taken by its DataLoader before and after each next().

The time between the two is loading; from the second to the next next() is training. Nothing here waits for a lock or for the GPU.
The clock is time.monotonic_ns(), CLOCK_MONOTONIC on Linux, which all processes and the program share.
"""
from __future__ import annotations

import collections
import itertools
import sys
import threading
import time
import weakref
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .loaders import WatchedLoader
    from .session import Session

    _Map = map[Any]
else:
    _Map = map  # not subscriptable at run time

BEGUN = -1  # instead of a number of samples: iter() began and returned at these times
ENDED = -2  # there was no further batch
LEFT = -4  # the iterator was dropped early: the end of its workers began and was over at these times

Rows = collections.deque[tuple[int, ...]]  # any thread appends, another takes from the front

_leaving: set[Any] = set()  # keeps weak references until what they refer to ends

# The CPU time of the first 16 steps of an epoch is read, later that of every 16th: reading that clock is a system call, which takes
# longer than all else here.
_CPU_TIMED = 16
_SPANS_READ_AT_ONCE = 16
_MOST_SPANS = 64


def first_dimension(batch: Any) -> int:
    """The first dimension of the first tensor or array in a batch; 0 if none is found quickly."""
    for _ in range(3):
        shape = getattr(batch, "shape", None)
        if shape is not None:
            return int(shape[0]) if len(shape) else 0
        if isinstance(batch, (list, tuple)) and batch:
            batch = batch[0]
        elif isinstance(batch, (dict, Mapping)) and batch:  # dict first: it is looked up faster
            batch = next(iter(batch.values()))
        else:
            return 0
    return 0


class GpuSpans:
    """Records two events per step on the current stream: when the batch has arrived, and when the step's work is queued. A host that runs
    ahead of the GPU hides loading from the clock; the gap on the GPU between a step's end and the next batch shows it.

    `cuda` is torch.cuda, or a stand-in in a test. Never initializes CUDA and never waits: events are read once they have passed, and
    a step without a free event is not measured. One thread."""

    def __init__(self, cuda: Any, spans: Rows, loader: int, epoch: int) -> None:
        self._cuda = cuda
        self._spans = spans
        self._loader = loader
        self._epoch = epoch
        self._step = -1
        self._free: list[Any] = []
        self._waiting: collections.deque[tuple[int, Any, Any, Any]] = collections.deque()
        self._before: Any = None
        self._ready: Any = None

    def batch_is_there(self) -> None:
        self._step += 1
        if len(self._waiting) >= _SPANS_READ_AT_ONCE:
            self.read()
        if self._cuda.is_initialized() and len(self._waiting) < _MOST_SPANS:
            self._ready = self._record()

    def step_is_queued(self) -> None:
        if self._ready is None:
            self._before = None
            return
        over = self._record()
        self._waiting.append((self._step, self._before, self._ready, over))
        self._before, self._ready = over, None

    def read(self) -> None:
        while self._waiting and self._waiting[0][3].query():
            step, before, ready, over = self._waiting.popleft()
            idle = -1
            if before is not None:
                idle = int(before.elapsed_time(ready) * 1e6)
                self._free.append(before)
            self._spans.append((self._loader, self._epoch, step, idle, int(ready.elapsed_time(over) * 1e6)))
            self._free.append(ready)

    def _record(self) -> Any:
        event = self._free.pop() if self._free else self._cuda.Event(enable_timing=True)
        event.record()
        return event


class Epoch:
    __slots__ = ("_session", "_loader", "_number", "_gpu", "_loads_itself", "_steps", "_asked", "_cpu", "_ended")

    def __init__(self, session: Session, loader: WatchedLoader, gpu: GpuSpans) -> None:
        self._session = session
        self._loader = loader
        self._number = loader.epochs
        self._gpu = gpu
        self._loads_itself = loader.loads_itself
        self._steps = self._asked = 0
        self._cpu = -1
        self._ended = False

    def begin(self, begun: int, returned: int) -> None:
        thread = 0 if threading.current_thread() is threading.main_thread() else threading.get_native_id()
        self._session.marks.append((self._loader.number, self._number, begun, returned, BEGUN, thread))

    def ask(self) -> int:
        """Called before each next(). Returns the time. Exits the script if the session is to stop."""
        if self._session.is_to_stop and threading.current_thread() is threading.main_thread():
            sys.exit()
        self._session.current = self._loader
        self._asked = time.monotonic_ns()
        if self._session.is_on:
            try:
                self._gpu.step_is_queued()
            except Exception:
                self._session.fail()
        is_timed = self._loads_itself and (self._steps < _CPU_TIMED or self._steps % _CPU_TIMED == 0)
        self._cpu = time.thread_time_ns() if is_timed else -1
        return self._asked

    def have(self, asked: int, batch: Any) -> Any:
        """Called after each next(). Returns the batch.

        A thread whose time slice is used up is preempted when it reads the CPU clock. Both reads follow the mark of the wall clock, so such
        a pause counts as loading before the load and as training after it."""
        loaded = time.monotonic_ns()
        cpu = time.thread_time_ns() - self._cpu if self._cpu >= 0 else -1
        if not self._session.is_on:
            return batch
        try:
            self._steps += 1
            samples = self._loader.samples(batch)
            self._session.marks.append((self._loader.number, self._number, asked, loaded, samples, cpu))
            if self._loader.copies is not None:
                self._loader.note(batch, self._session)
            self._gpu.batch_is_there()
        except Exception:
            self._session.fail()
        return batch

    def leave(self, iterator: Any) -> None:
        """Called when the loop drops `iterator`. Its workers end with the last reference to it."""
        if self._ended or not self._session.is_on:
            return
        begun = time.monotonic_ns()
        switching = getattr(iterator, "_switching", None)
        target = iterator if switching is None else getattr(switching._inner, "iterator", iterator)

        def gone(reference: Any) -> None:
            _leaving.discard(reference)
            self._session.marks.append((self._loader.number, self._number, begun, time.monotonic_ns(), LEFT, 0))

        _leaving.add(weakref.ref(target, gone))

    def end(self) -> Iterator[Any]:
        """An empty iterator, advanced when the last next() has found no batch."""
        self._ended = True
        try:
            if self._session.is_on:
                marks = (self._loader.number, self._number, self._asked, time.monotonic_ns(), ENDED, 0)
                self._session.marks.append(marks)
                self._loader.post_copies(self._session)
                self._gpu.read()
        except Exception:
            self._session.fail()
        yield from ()


class WatchedIterator(_Map):
    """The result of iter(loader). It holds PyTorch's iterator and imitates it. It adds no frame to a traceback: CPython's map calls
    Epoch.ask(), then the iterator, then Epoch.have()."""

    __slots__ = ("_feedrate_epoch", "_feedrate_iterator", "__weakref__")

    def __new__(cls, epoch: Epoch, iterator: Iterator[Any]) -> WatchedIterator:
        self = super().__new__(cls, epoch.have, iter(epoch.ask, None), itertools.chain(iterator, epoch.end()))
        object.__setattr__(self, "_feedrate_epoch", epoch)
        object.__setattr__(self, "_feedrate_iterator", iterator)
        return self

    @property  # type: ignore[misc]  # object's has a setter, this one has none
    def __class__(self) -> type:  # for isinstance()
        return type(self._feedrate_iterator)

    def __del__(self) -> None:
        try:
            self._feedrate_epoch.leave(self._feedrate_iterator)
        except Exception:
            pass

    def __len__(self) -> int:
        return len(self._feedrate_iterator)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._feedrate_iterator, name)

    def __setattr__(self, name: str, value: Any) -> None:
        setattr(self._feedrate_iterator, name, value)
