# SPDX-License-Identifier: Apache-2.0
"""Workers of other settings than the user's: of what befalls them the script must not notice anything.

They end at once with the process that has started them: when it is killed, when it calls os._exit(), when it becomes another
program by exec. PyTorch's own learn of that after five seconds, or never. A child that the script forks has no part in them.

Private names of others, each of which is done without where it is missing:
- iterator._workers: the processes whose death a signal reports. PyTorch raises that death then.
- iterator._shutdown: that there is nothing to end; else a forked child ends its parent's workers.
- multiprocessing.process._children: which of them a process ends and joins when it ends; a forked child cannot.
- Queue._on_queue_feeder_error: what becomes of a batch that cannot be sent. It never comes, until PATIENCE_S has passed.
"""
from __future__ import annotations

import contextlib
import io
import multiprocessing.process
import multiprocessing.queues
import multiprocessing.util
import os
import re
import resource
import signal
import sys
import threading
import weakref
from collections.abc import Iterator
from typing import Any, Callable, Optional

from . import own_threads
from .descriptors import OwnDescriptor
from .sockets import keep_sockets_in

PATIENCE_S = 60  # for a batch, where the user has set no timeout: workers that were forked may hang where the user had none

_PYTORCH_HANDLERS = "torch.utils.data._utils.signal_handling"

_inners: weakref.WeakValueDictionary[int, Any] = weakref.WeakValueDictionary()  # by the process ids of their workers
_life: Optional[tuple[OwnDescriptor, OwnDescriptor]] = None  # a pipe that this process alone can write to


def start_method(loader: Any) -> str:
    """Of its workers. Does not settle the default, as multiprocessing.get_start_method() does."""
    context = loader.multiprocessing_context
    method = multiprocessing.get_start_method(allow_none=True) if context is None else context.get_start_method()
    return method or multiprocessing.get_all_start_methods()[0]


def own_start_method(loader: Any) -> str:
    """Of other workers in place of its own. Where it has none, and the script has chosen no method, forked ones: those of all other
    methods run the script again, which may not expect it."""
    is_chosen = loader.num_workers > 0 or multiprocessing.get_start_method(allow_none=True) is not None
    return start_method(loader) if is_chosen else "fork"


def why_not_now() -> Optional[str]:
    """Why no further workers can start that the script does not notice."""
    handler = signal.getsignal(signal.SIGCHLD)
    is_pytorchs = getattr(handler, "__module__", None) == _PYTORCH_HANDLERS
    if handler is signal.SIG_DFL or isinstance(handler, _DeathHandler) or is_pytorchs:
        return None
    return "The script handles SIGCHLD itself, and would be told of the ends of other workers."


def own_worker_arguments(loader: Any, context: Optional[str]) -> dict[str, Any]:
    """Of a DataLoader with such workers in place of those of `loader`. `context`: how they are to start; None: as its own do."""
    method = context or own_start_method(loader)
    arguments: dict[str, Any] = {"timeout": loader.timeout or PATIENCE_S}
    if loader.num_workers == 0:  # by name, which leaves the default of the process unsettled
        arguments["multiprocessing_context"] = method
    if method == "fork":
        arguments["worker_init_fn"] = _OwnWorkerStart(loader.worker_init_fn)
    return arguments


class _OwnWorkerStart:
    """The worker_init_fn of workers that are forked: does what is special about them, and then the user's."""

    def __init__(self, user: Optional[Callable[[int], None]]) -> None:
        global _life
        if _life is None or not _life[1].is_ours():
            reading, writing = os.pipe()
            _life = OwnDescriptor(reading), OwnDescriptor(writing)
        self._reading = _life[0].number
        self._mask = signal.pthread_sigmask(signal.SIG_BLOCK, ())
        self._user = user

    def __call__(self, number: int) -> None:
        multiprocessing.queues.Queue._on_queue_feeder_error = staticmethod(lambda *_: os._exit(1))
        multiprocessing.util.Finalize(None, _tell_nothing, exitpriority=1000)
        sys.excepthook = lambda *_: None  # multiprocessing's, where the script ends before it has got a batch
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        signal.signal(signal.SIGBUS, signal.SIG_DFL)  # no room in /dev/shm: PyTorch's handler tells stderr of it
        with contextlib.suppress(OSError):
            keep_sockets_in(os.path.dirname(os.environ.get("FEEDRATE_RUN", "")))
        try:
            threading.Thread(target=self._end_with_parent, daemon=True).start()
        except RuntimeError:  # no further thread, of which a worker needs some: it would tell stderr
            os._exit(1)
        signal.pthread_sigmask(signal.SIG_SETMASK, self._mask)
        if self._user is not None:
            self._user(number)

    def _end_with_parent(self) -> None:
        try:
            os.read(self._reading, 1)
        finally:
            os._exit(1)


@contextlib.contextmanager
def interrupts_wait(loader: Any) -> Iterator[None]:
    """While workers of `loader` start. Those that are forked take no interrupt before _OwnWorkerStart: a terminal's goes to them too,
    and multiprocessing would tell stderr of it until PyTorch's loop runs, which does not."""
    is_ours = isinstance(loader.worker_init_fn, _OwnWorkerStart)
    mask = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT} if is_ours else ())
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, mask)


def end_unnoticed(arguments: tuple[Any, ...]) -> None:
    """In a worker, of what its loop raises. multiprocessing would tell stderr. `arguments`: the loop's, which tell whose it is."""
    if any(isinstance(argument, _OwnWorkerStart) for argument in arguments):
        os._exit(1)


def end(iterator: Any) -> None:
    """Of such workers. Takes seconds where one hangs."""
    try:
        iterator._shutdown_workers()
    except Exception:  # of descriptors that the script has closed
        pass
    _remove_begun({worker.pid for worker in getattr(iterator, "_workers", ())})


def _remove_begun(workers: set[int]) -> None:
    """Where there is no room in /dev/shm PyTorch leaves there what it could not write to: files without a block."""
    with contextlib.suppress(OSError):
        for entry in os.scandir("/dev/shm"):
            begin = re.match(r"torch_(\d+)_", entry.name)
            if begin and int(begin[1]) in workers and entry.stat().st_blocks == 0:
                os.unlink(entry.path)


def _tell_nothing() -> None:
    """At a worker's end, which may come after that of the folder with its sockets."""
    sys.stderr = io.StringIO()


def adopt(inner: Any) -> None:
    """Of `inner.iterator`. PyTorch raises the death of a worker into whatever the main thread runs then, such as a step of the
    training. With other settings than the user's it is to be raised by next(), where the batch can still be loaded."""
    for worker in getattr(inner.iterator, "_workers", ()):
        worker._feedrate = True
        _inners[worker.pid] = inner
    for queue in getattr(inner.iterator, "_index_queues", ()):
        thread = getattr(queue, "_thread", None)
        if thread is not None:
            thread.name = own_threads.NAME
    if threading.current_thread() is not threading.main_thread():
        return
    handler = signal.getsignal(signal.SIGCHLD)
    if callable(handler) and not isinstance(handler, _DeathHandler):
        signal.signal(signal.SIGCHLD, _DeathHandler(handler))


class _DeathHandler:
    """A death within next() is raised there: else what waits for the batch would do so until it times out. Not while a temporary file
    is made, which would stay: PyTorch makes some when it has seen an error, and raises that. Nor within __del__, where it would be
    lost, and stderr told."""

    def __init__(self, handler: Any) -> None:
        self._handler = handler

    def __call__(self, signum: int, frame: Any) -> None:
        try:
            self._handler(signum, frame)
        except RuntimeError as error:
            pid = re.search(r"\(pid (\d+)\)", str(error))
            inner = _inners.get(int(pid[1])) if pid else None
            if inner is None or (inner.busy and not _is_no_place_to_raise(frame)):
                raise
            inner.dead = error.with_traceback(None)  # its frames hold the iterator


def _is_no_place_to_raise(frame: Any) -> bool:
    while frame is not None and frame.f_globals.get("__name__") != "tempfile" and frame.f_code.co_name != "__del__":
        frame = frame.f_back
    return frame is not None


def _leave_to_parent() -> None:
    """In a forked child, such as a worker."""
    global _life
    if _life is not None:
        _life[1].close()
        _life = None
    children = getattr(multiprocessing.process, "_children", set())
    for process in [process for process in children if hasattr(process, "_feedrate")]:
        children.discard(process)
    for inner in list(_inners.values()):
        inner.iterator._shutdown = True
        inner.dead = RuntimeError("The workers are those of the process that has forked this one.")
    _inners.clear()


os.register_at_fork(after_in_child=_leave_to_parent)
