# SPDX-License-Identifier: Apache-2.0
"""Worker processes of settings under trial, which are hidden from the user's script, as are their failures.

A forked trial worker is a grandchild of the training process: an intermediate child forks it and exits. So os.wait(), SIGCHLD and
multiprocessing.active_children() of the script never see it. Only for a loader whose own workers start by spawn or forkserver, PyTorch
starts the trial workers, in the same way.

Trial workers end at once with the process that started them: when it is killed, calls os._exit(), or becomes another program by exec.
A child that the script forks does not keep them alive. The kernel's OOM killer chooses them first.

Private names of other modules, each of which may be missing:
- BaseProcess._popen and the other attributes that start() sets: how a process starts.
- iterator._workers, iterator._shutdown: which processes end, and that a forked child has nothing to end.
- signal_handling._SIGCHLD_handler_set, torch._C._remove_worker_pids, iterator._worker_pids_set: PyTorch's SIGCHLD handler, which would
  raise a worker's death into whatever the main thread runs.
- Queue._on_queue_feeder_error: the handling of a batch that cannot be sent. Without it the loader waits until its timeout.
"""
from __future__ import annotations

import contextlib
import ctypes
import io
import multiprocessing.connection
import multiprocessing.context
import multiprocessing.process
import multiprocessing.queues
import multiprocessing.util
import os
import queue
import re
import resource
import signal
import struct
import sys
import threading
import time
import types
import weakref
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, Callable, Optional

import torch

from . import own_threads
from .descriptors import OwnDescriptor
from .private_descriptors import Inherited, inherited, make_private
from .small_tensors import send_small_tensors_by_value
from .sockets import keep_sockets_in
from .trial_guard import guard_loads

if TYPE_CHECKING:
    _Queue = multiprocessing.queues.Queue[Any]
else:
    _Queue = multiprocessing.queues.Queue  # not subscriptable at run time

LEAST_PATIENCE_S = 5.0
PATIENCE_BATCHES = 20  # times the duration of the slowest batch
_START_PATIENCE_S = 60.0  # added for workers that first import the script
_OOM_SCORE = 1000
_DEATH_INTERVAL_S = 0.1
_PR_GET_CHILD_SUBREAPER = 37
_UNKNOWN_EXIT = 255

_PYTORCH_HANDLERS = "torch.utils.data._utils.signal_handling"

_iterators: weakref.WeakSet[Any] = weakref.WeakSet()
_life: Optional[tuple[OwnDescriptor, OwnDescriptor]] = None  # a pipe that only this process can write to


def start_method(loader: Any) -> str:
    """The start method of the loader's workers. Unlike multiprocessing.get_start_method(), it does not fix the default."""
    context = loader.multiprocessing_context
    method = multiprocessing.get_start_method(allow_none=True) if context is None else context.get_start_method()
    return method or multiprocessing.get_all_start_methods()[0]


def trial_start_method(loader: Any) -> str:
    """The start method of trial workers: that of the loader's own. If it has none and the script uses Python's default, fork, which
    neither runs the script again nor leaves a helper process behind."""
    method = start_method(loader)
    return "fork" if loader.num_workers == 0 and method == multiprocessing.get_all_start_methods()[0] else method


def context_of_line(loader: Any) -> Optional[str]:
    """The multiprocessing_context that the script's call needs to get workers like those tried, or None."""
    return "fork" if loader.num_workers == 0 and trial_start_method(loader) == "fork" != start_method(loader) else None


def why_not_now() -> Optional[str]:
    """Why trial workers cannot start now without the script noticing, or None."""
    handler = signal.getsignal(signal.SIGCHLD)
    if handler not in (signal.SIG_DFL, signal.SIG_IGN) and getattr(handler, "__module__", None) != _PYTORCH_HANDLERS:
        return "The script handles SIGCHLD, and would see the ends of trial workers."
    if _adopts_orphans():
        return "The script's process adopts orphans (it is process 1 or a subreaper): its os.wait() would see trial workers."
    return None


def _adopts_orphans() -> bool:
    if os.getpid() == 1:
        return True
    answer = ctypes.c_int(0)
    try:
        ctypes.CDLL(None).prctl(_PR_GET_CHILD_SUBREAPER, ctypes.byref(answer), 0, 0, 0)
    except (OSError, AttributeError):
        return False
    return answer.value != 0


def trial_arguments(loader: Any, context: Optional[str], slowest_s: float, twice: int) -> dict[str, Any]:
    """Arguments of a DataLoader with trial workers instead of those of `loader`. `context`: their start method; None: as for its own.
    `slowest_s`: the longest time that a batch has taken. `twice`: see guard_loads()."""
    method = context or trial_start_method(loader)
    patience = max(LEAST_PATIENCE_S, PATIENCE_BATCHES * slowest_s) + (0 if method == "fork" else _START_PATIENCE_S)
    arguments: dict[str, Any] = {"timeout": loader.timeout or patience}
    if method == "fork":
        arguments["multiprocessing_context"] = _TrialContext()
        arguments["worker_init_fn"] = TrialWorkerStart(loader.worker_init_fn, _is_collated_by_pytorch(loader), loader.num_workers == 0, twice)
    elif loader.num_workers == 0:  # by name, which does not fix the default of the process
        arguments["multiprocessing_context"] = method
    return arguments


def _is_collated_by_pytorch(loader: Any) -> bool:
    return loader.batch_sampler is not None and loader.collate_fn is torch.utils.data._utils.collate.default_collate


class _TrialContext(multiprocessing.context.ForkContext):
    """The fork context of multiprocessing for one loader, with hidden processes, and queues that detect their deaths."""

    def __init__(self) -> None:
        super().__init__()
        self.sentinels: list[int] = []

    def Process(self, *arguments: Any, **named: Any) -> _HiddenProcess:  # type: ignore[override]  # noqa: N802  # the base has a class
        process = _HiddenProcess(*arguments, **named)
        process.trial_context = self
        return process

    def Queue(self, maxsize: int = 0) -> _TrialQueue:  # noqa: N802
        return _TrialQueue(maxsize, ctx=self)


class _TrialQueue(_Queue):
    """Once a worker has ended, get() in the process that made the queue returns early, as after a timeout. PyTorch then checks which worker
    died, instead of waiting for the whole timeout."""

    _reader: multiprocessing.connection.Connection

    def __init__(self, maxsize: int, *, ctx: _TrialContext) -> None:
        super().__init__(maxsize, ctx=ctx)
        self._trial = (os.getpid(), ctx)

    def get(self, block: bool = True, timeout: Optional[float] = None) -> Any:
        process, context = self._trial
        if block and process == os.getpid():
            watched: list[Any] = [self._reader, *context.sentinels]
            if self._reader not in multiprocessing.connection.wait(watched, timeout):
                time.sleep(min(_DEATH_INTERVAL_S, timeout or 0))  # avoids a busy loop: PyTorch's pin thread retries at once
                if not self._reader.poll():
                    raise queue.Empty
        return super().get(block, timeout)

    def __getstate__(self) -> Any:  # called if a process is spawned, which trial workers are not
        raise TypeError("a queue of trial workers cannot be sent")


class _HiddenProcess(multiprocessing.context.ForkProcess):
    trial_context: _TrialContext

    @staticmethod
    def _Popen(process: Any) -> Any:  # noqa: N802
        return _HiddenPopen(process)

    def start(self) -> None:
        """BaseProcess.start(), except that it neither reaps the script's ended children nor lists this process among them."""
        self._popen = self._Popen(self)
        self._sentinel = self._popen.sentinel
        for name in ("_target", "_args", "_kwargs"):  # they may refer to this object
            delattr(self, name)
        self.trial_context.sentinels.append(self._sentinel)


class _HiddenPopen:
    """The handle of a started process that is no child, like popen_forkserver.Popen, for multiprocessing.Process."""

    method = "fork"

    def __init__(self, process: Any) -> None:
        util: Any = multiprocessing.util
        util._flush_std_streams()
        self.returncode: Optional[int] = None
        self.sentinel, ended = os.pipe()  # reaches its end when the worker has ended; the exit code precedes it
        self._end = OwnDescriptor(self.sentinel)
        parent_sentinel, alive = os.pipe()  # reaches its end when this process has ended
        self.finalizer = multiprocessing.util.Finalize(self, util.close_fds, (self.sentinel, alive))
        try:
            self.pid = fork_grandchild(lambda: _run(process, parent_sentinel, ended), (self.sentinel, alive))
        finally:
            os.close(ended)
            os.close(parent_sentinel)

    def poll(self, flag: int = os.WNOHANG) -> Optional[int]:
        return self.wait(0 if flag == os.WNOHANG else None)

    def wait(self, timeout: Optional[float] = None) -> Optional[int]:
        if self.returncode is None and not self._end.is_ours():  # closed by garbage collection, and perhaps reused
            self.returncode = _UNKNOWN_EXIT
        if self.returncode is None and multiprocessing.connection.wait([self.sentinel], timeout):
            code = os.read(self.sentinel, 1)
            self.returncode = code[0] if code else _UNKNOWN_EXIT
        return self.returncode

    def terminate(self) -> None:
        self._signal(signal.SIGTERM)

    def kill(self) -> None:
        self._signal(signal.SIGKILL)

    def close(self) -> None:
        self.finalizer()

    def _signal(self, number: int) -> None:
        if self.poll() is None:
            with contextlib.suppress(ProcessLookupError):
                os.kill(self.pid, number)


# From Python 3.12 os.fork() warns of threads, which the script would see. Python ignores warnings of code whose module is None.
_fork = types.FunctionType((lambda: os.fork()).__code__, {"os": os, "__name__": None})


def fork_grandchild(run: Callable[[], int], not_inherited: tuple[int, ...]) -> int:
    """Forks twice and returns the grandchild's process id. Raises OSError if a process cannot be forked."""
    reading, writing = os.pipe()
    try:
        intermediate = _fork()
        if intermediate == 0:
            _fork_and_exit(run, writing, (reading, *not_inherited))
        os.close(writing)
        writing = -1
        with contextlib.suppress(ChildProcessError):  # a thread of the script waited for any child
            os.waitpid(intermediate, 0)
        answer = os.read(reading, 8)
        if len(answer) < 8:
            raise BlockingIOError("a trial worker cannot be forked")
        return int(struct.unpack("=q", answer)[0])
    finally:
        os.close(reading)
        if writing >= 0:
            os.close(writing)


def _fork_and_exit(run: Callable[[], int], writing: int, not_inherited: tuple[int, ...]) -> None:
    code = 1
    try:
        intermediate = os.getpid()
        worker = os.fork()
        if worker == 0:
            for descriptor in (writing, *not_inherited):
                os.close(descriptor)
            while os.getppid() == intermediate:  # PyTorch regards a new parent as the end of the training process
                time.sleep(0.0005)
            code = run()
        else:
            os.write(writing, struct.pack("=q", worker))
    finally:
        os._exit(code)


def _run(process: Any, parent_sentinel: int, ended: int) -> int:
    code = int(process._bootstrap(parent_sentinel=parent_sentinel))
    os.write(ended, bytes([code & 0xFF]))
    return code


class TrialWorkerStart:
    """The worker_init_fn of forked trial workers: prepares the process, then calls the user's worker_init_fn."""

    def __init__(self, user: Optional[Callable[[int], None]], collated: bool, is_alone: bool, twice: int = 0) -> None:
        global _life
        if _life is None or not _life[1].is_ours():
            reading, writing = os.pipe()
            _life = OwnDescriptor(reading), OwnDescriptor(writing)
        self._life = _life
        self._mask = signal.pthread_sigmask(signal.SIG_BLOCK, ())
        self._user = user
        self._collated = collated
        self._is_alone = is_alone  # whether the loader has no workers of its own
        self._twice = twice
        self._inherited: list[Inherited] = []

    def prepare(self) -> None:
        """Called right before the workers are forked, and before their queues are made."""
        self._inherited = inherited(frozenset(end.number for end in self._life), written=self._is_alone)

    def __call__(self, number: int) -> None:
        queues: Any = multiprocessing.queues.Queue
        queues._on_queue_feeder_error = staticmethod(lambda *_: os._exit(1))
        multiprocessing.util.Finalize(None, _discard_stderr, exitpriority=1000)
        sys.excepthook = lambda *_: None  # multiprocessing prints if the script ends before its first batch
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        signal.signal(signal.SIGBUS, signal.SIG_DFL)  # when /dev/shm is full, PyTorch's handler writes to stderr
        _offer_to_be_killed()
        with contextlib.suppress(OSError):
            keep_sockets_in(os.path.dirname(os.environ.get("FEEDRATE_RUN", "")))
        try:
            threading.Thread(target=self._end_with_parent, daemon=True).start()
        except RuntimeError:  # no thread can start; a worker needs some, and would report that on stderr
            os._exit(1)
        make_private(self._inherited)
        send_small_tensors_by_value(self._collated)
        signal.pthread_sigmask(signal.SIG_SETMASK, self._mask)
        if self._user is not None:
            self._user(number)
        if self._is_alone:
            guard_loads(self._twice)

    def _end_with_parent(self) -> None:
        try:
            os.read(self._life[0].number, 1)
        finally:
            os._exit(1)


def _offer_to_be_killed() -> None:
    with contextlib.suppress(OSError), open("/proc/self/oom_score_adj", "w") as score:
        score.write(str(_OOM_SCORE))


def _discard_stderr() -> None:
    """Called when a worker ends, which may be after the folder of its sockets was removed."""
    sys.stderr = io.StringIO()


@contextlib.contextmanager
def unnoticed_start(loader: Any) -> Iterator[None]:
    """Surrounds the start of `loader`'s workers; acts only on trial workers. It blocks SIGINT until TrialWorkerStart runs, because a
    terminal sends it to them, too, and multiprocessing would write to stderr. It keeps PyTorch from installing its SIGCHLD handler."""
    start = loader.worker_init_fn
    is_trial = isinstance(start, TrialWorkerStart)
    handlers: Any = sys.modules.get(_PYTORCH_HANDLERS)
    is_set = getattr(handlers, "_SIGCHLD_handler_set", None)
    mask = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT} if is_trial else ())
    try:
        if is_trial:
            start.prepare()
            if is_set is False:
                handlers._SIGCHLD_handler_set = True
        yield
    finally:
        if is_trial and is_set is False:
            handlers._SIGCHLD_handler_set = False
        signal.pthread_sigmask(signal.SIG_SETMASK, mask)


def adopt(iterator: Any) -> None:
    """Called after trial workers have started. Makes next(), instead of PyTorch's SIGCHLD handler, raise a worker's death, so that the
    batch can be loaded in another way."""
    remove = getattr(torch._C, "_remove_worker_pids", None)
    if remove is not None and getattr(iterator, "_worker_pids_set", False):
        remove(id(iterator))
        iterator._worker_pids_set = False
    _iterators.add(iterator)
    for index_queue in getattr(iterator, "_index_queues", ()):
        thread = getattr(index_queue, "_thread", None)
        if thread is not None:
            thread.name = own_threads.NAME


def end_unnoticed(arguments: tuple[Any, ...]) -> None:
    """Exits a trial worker whose loop raised, because multiprocessing would write to stderr. `arguments`: the loop's."""
    if is_trial(arguments):
        os._exit(1)


def is_trial(arguments: tuple[Any, ...]) -> bool:
    """Whether PyTorch's _worker_loop, called with `arguments`, runs in a trial worker."""
    return any(isinstance(argument, TrialWorkerStart) for argument in arguments)


def end(iterator: Any) -> None:
    try:
        iterator._shutdown_workers()
    except Exception:
        pass
    _remove_begun({worker.pid for worker in getattr(iterator, "_workers", ())})


def _remove_begun(workers: set[int]) -> None:
    """Removes files without blocks, which PyTorch leaves behind if /dev/shm is full."""
    with contextlib.suppress(OSError):
        for entry in os.scandir("/dev/shm"):
            begin = re.match(r"torch_(\d+)_", entry.name)
            if begin and int(begin[1]) in workers and entry.stat().st_blocks == 0:
                os.unlink(entry.path)


def _leave_to_parent() -> None:
    """Drops the handles in a forked child, such as a worker."""
    global _life
    if _life is not None:
        _life[1].close()
        _life = None
    for iterator in list(_iterators):
        iterator._shutdown = True
    _iterators.clear()


os.register_at_fork(after_in_child=_leave_to_parent)
