# SPDX-License-Identifier: Apache-2.0
"""The messages of a training script to `feedrate run` over a Unix stream socket: one JSON object per line, {"event": NAME, ...}.

Each process that iterates a DataLoader opens a connection at its first iter(); so does a forked child that iterates one. All times are
ns of CLOCK_MONOTONIC. A thread sends every 0.5 s, or every 0.1 s if a loader is tuned. The first message is "hello".

  hello    process: int; rank, local_rank, world_size: int or null (the launcher's environment variables); python, torch: str;
           argv: [str]; cpus: int (CPUs that the process may use, by affinity and control group quota); affinity: [int] (CPUs);
           resident: int (bytes of memory, 0 if unknown)
  loader   sent before its marks. loader: int (unique in a process); group: int (the number of the first loader made at the same
           line, if that one is deleted); site: str ("file:line" of the user's call that leads to it); class, dataset, sampler:
           str (names of classes); length: int or null (batches per epoch); rank, ranks: int or null (torch.distributed's); tune: float
           or null (the budget for trials, as a share of the first 1,000 steps, if the script asks for tuning itself); given:
           {argument: value or "<class>"}; given_known: bool; call: null or {text: str, arguments: {name: [begin, end]}, insert: int,
           separator: str, open: bool} (source of the call, offsets in bytes; call_source.py); library: str (the package that the call
           leads to, empty: the class itself); context: str or null (multiprocessing_context that a line with workers must have); settings:
           {batch_size, num_workers, prefetch_factor, pin_memory, persistent_workers, in_order, drop_last, timeout, start_method},
           null where PyTorch has none, start_method: of trial workers; fixed: why its settings cannot change in place, or null
  marks    rows: [int], six per row: loader, epoch (counts from 0), t0, t1, samples, cpu. t0: before next(); t1: after it;
           samples: of the batch, 0 if unknown; cpu: the thread's CPU time in next(), which without workers is that of a batch,
           -1 if not measured. Loading takes t1 - t0, and training the next row's t0 - t1, among rows of one loader and epoch.
           samples = -1: the epoch begins; t0 and t1 are the begin and the end of iter(); cpu is the id of the thread that
           iterates, 0 for the main thread. samples = -2: next() found no batch.
           samples = -4: the iterator was dropped before that, and its workers ended from t0 to t1.
           samples = -3: from now on the loader has the settings of the request whose number is in cpu. Rows of one thread are in
           the order of t1
  spans    rows: [int], five per row: loader, epoch, step (counts from 0 in an epoch), idle, busy. By CUDA events: idle: from the
           end of the previous step on the GPU until the batch has arrived, -1 if unknown; busy: from then to the end of the step
  fetches  rows: [int], four per row: loader, worker, wall, cpu: the cost of a batch in its worker, fetch and collate
  copies   sent once per loader, after 20 steps or at the end of its first epoch. loader: int; batch_bytes: int (of the
           tensors in the largest of these batches); copies: [{site: str, pinned, non_blocking: bool, calls, bytes: int}]: to() and
           cuda() of CPU tensors to a device
  switched  requested settings failed, and the loader continues with its own. loader, request: int;
           problem: str
  limit    from now on at most most_outstanding batches may be loaded ahead (0: none). loader: int; why: str
  workers  loader: int; processes: [int]: the trial workers, which are no children of the process
  audit    loader: int; identical: int (batches loaded twice, in total); difference: str or null
  note     loader: int; text: str, for the summary
  end      the last message of a process that exits normally

The program sends these messages, which Session.on_message receives on the sending thread:

  switch   loader, request, at: int; settings: {num_workers, prefetch_factor, pin_memory, persistent_workers, in_order}: use these
           settings after `at` batches, counted over all epochs
  verdict  loader: int; verdict: the output of `feedrate run --json` (docs/run.md), which recommended.py reads
  stop     the main thread must raise SystemExit when it asks for its next batch

Either side may add fields to a message. A side that cannot read a message closes the connection; the script continues unwatched.
"""
from __future__ import annotations

import collections
import itertools
import json
import multiprocessing.util
import os
import platform
import re
import resource
import shutil
import signal
import socket
import struct
import sys
import threading
from typing import Any, Callable, Optional

from .channel import Channel, ParentGone
from .cpu_quota import usable_cpus
from .descriptors import OwnDescriptor
from .fetches import FetchTable
from .marks import Rows
from .own_threads import NAME

_ROWS_AT_ONCE = 4096
_PATIENCE_S = 5  # timeout for a program that does not read; only the sender's thread waits, never the script
_END_PATIENCE_S = 0.2

_RANKS = {
    "rank": ("RANK", "SLURM_PROCID", "OMPI_COMM_WORLD_RANK", "PMI_RANK"),
    "local_rank": ("LOCAL_RANK", "SLURM_LOCALID", "OMPI_COMM_WORLD_LOCAL_RANK", "MPI_LOCALRANKID"),
    "world_size": ("WORLD_SIZE", "SLURM_NTASKS", "OMPI_COMM_WORLD_SIZE", "PMI_SIZE"),
}


class Session:
    """The connection of this process. If it fails, is_on becomes False and the script continues unwatched.

    The script's threads append whole rows and the sender takes from the front, which a deque allows with and without a GIL. Raises
    OSError if the program does not listen."""

    def __init__(self, path: str) -> None:
        self.is_on = True
        self.is_to_stop = False  # whether the script must exit at its next batch
        self.interval_s = 0.5
        self.current: Any = None  # the WatchedLoader whose iterator is being made or asked
        self.on_message: Callable[[dict[str, Any]], None] = lambda message: None  # runs on the sender's thread
        self.marks = Rows()
        self.spans = Rows()
        self._posted: collections.deque[tuple[str, dict[str, Any]]] = collections.deque()
        self._is_closing = False
        self._path = path
        self._channel = _connect(path)
        self._fetches = _open_fetches()
        self._sender = threading.Thread(target=self._send_all, name=NAME, daemon=True)
        self._starting = threading.Lock()
        self.post("hello", **_process())
        multiprocessing.util.Finalize(None, self._close, exitpriority=100)  # not atexit, which multiprocessing's processes skip

    def start(self) -> None:
        """Call it after the first workers were started, so that no worker is forked while this thread runs."""
        if self._sender.ident is None:
            with self._starting:
                if self._sender.ident is None:
                    self._sender.start()

    def post(self, event: str, **fields: Any) -> None:
        if self.is_on:
            self._posted.append((event, fields))

    def add_workers(self, iterator: Any) -> None:
        if self._fetches is not None and self.current is not None:
            self._fetches.add(self.current.number, getattr(iterator, "_workers", []))

    def fail(self) -> None:
        """Thread-safe. Also called in a forked child, which must not use the connection."""
        self.is_on = False
        for waiting in (self.marks, self.spans, self._posted):
            waiting.clear()

    def _send_all(self) -> None:
        signal.pthread_sigmask(signal.SIG_BLOCK, signal.valid_signals())  # signals belong to the script's threads
        try:
            while self.is_on:
                for line in self._channel.receive_lines(self.interval_s):
                    self.on_message(json.loads(line))
                self._send_new()
        except Exception:
            if not self._is_closing:
                self.fail()
        if not self._is_closing:
            self._channel.close()

    def _send_new(self) -> None:
        marks, spans = _flat(_take(self.marks)), _flat(_take(self.spans))
        fetches = [] if self._fetches is None else self._fetches.take()
        for event, fields in _take(self._posted):  # after taking the marks, because the message of a loader must precede its marks
            self._channel.send(event, **fields)
        for event, width, rows in (("marks", 6, marks), ("spans", 5, spans), ("fetches", 4, fetches)):
            for begin in range(0, len(rows), width * _ROWS_AT_ONCE):
                self._channel.send(event, rows=rows[begin : begin + width * _ROWS_AT_ONCE])

    def _close(self) -> None:
        """Runs when the process ends, in its main thread."""
        self._is_closing = True
        try:
            if self.is_on:
                self._send_end()
        except Exception:
            self.is_on = False
        if self._fetches is not None:
            self._fetches.remove()
        if not self.is_on:
            _remove_left(self._path)

    def _send_end(self) -> None:
        self._channel.stop_receiving()
        self._channel.send_without_waiting(_END_PATIENCE_S)
        if self._sender.ident is not None:
            self._sender.join(_END_PATIENCE_S)
        if not self._sender.is_alive():
            self._send_new()
            self._channel.send("end")
        self._channel.close()


class _ScriptChannel(Channel):
    def __init__(self, descriptor: int) -> None:
        self._descriptor = OwnDescriptor(descriptor)
        super().__init__(descriptor)

    def close(self) -> None:
        if self._descriptor.is_ours():
            super().close()
        else:
            self._socket.detach()

    def _require_own(self) -> None:
        if not self._descriptor.is_ours():
            raise ParentGone


def _remove_left(path: str) -> None:
    """Removes the folder of this package and of the socket at `path`, if the program was killed and nobody listens."""
    folder = os.path.dirname(path)
    if folder != os.path.dirname(os.path.dirname(__file__)):
        return
    try:
        _connect(path).close()
    except ConnectionRefusedError:
        shutil.rmtree(folder, ignore_errors=True)
    except OSError:
        pass


def _take(waiting: collections.deque[Any]) -> list[Any]:
    """Removes and returns the current items. Another thread may append to the deque or clear it."""
    taken: list[Any] = []
    try:
        for _ in range(len(waiting)):
            taken.append(waiting.popleft())
    except IndexError:
        pass
    return taken


def _flat(rows: list[tuple[int, ...]]) -> list[int]:
    return list(itertools.chain.from_iterable(rows))


def _connect(path: str) -> Channel:
    connection = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    try:
        connection.settimeout(1)
        connection.connect(path)
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_SNDTIMEO, struct.pack("@ll", _PATIENCE_S, 0))
    except OSError:
        connection.close()
        raise
    return _ScriptChannel(connection.detach())


def _open_fetches() -> Optional[FetchTable]:
    try:
        return FetchTable()
    except OSError:
        return None


def _process() -> dict[str, Any]:
    def number(names: tuple[str, ...]) -> Optional[int]:
        found = (re.fullmatch("[0-9]{1,7}", os.environ.get(name, "")) for name in names)
        return next((int(digits[0]) for digits in found if digits), None)

    ranks = {field: number(names) for field, names in _RANKS.items()}
    affinity = sorted(os.sched_getaffinity(0))
    versions = {"python": platform.python_version(), "torch": str(sys.modules["torch"].__version__)}
    return {"process": os.getpid(), **ranks, **versions, "argv": sys.argv, "cpus": usable_cpus(len(affinity)), "affinity": affinity, "resident": _resident_bytes()}


def _resident_bytes() -> int:
    try:
        with open("/proc/self/statm") as statm:
            return int(statm.read().split()[1]) * resource.getpagesize()
    except OSError:
        return 0
