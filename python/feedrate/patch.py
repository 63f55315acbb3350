# SPDX-License-Identifier: Apache-2.0
"""Makes torch.utils.data.DataLoader tell what its loops wait for, where FEEDRATE_RUN names the socket of `feedrate run`.

install() changes three methods of PyTorch's classes. Nothing connects before a loader is iterated, and in DataLoader's workers
nothing does. An error in here leaves the script unwatched, never broken.
"""
from __future__ import annotations

import functools
import itertools
import os
import time
import weakref
from collections.abc import Iterator
from typing import Any, Callable, Optional

import torch
from torch.utils.data import DataLoader, get_worker_info
from torch.utils.data._utils import fetch, worker

from . import copies
from .fetches import timing_worker
from .loaders import WatchedLoader, given_arguments
from .marks import Epoch, GpuSpans, WatchedIterator
from .session import Session
from .sites import site_of
from .tuning import Tuning

# Tuning sets it: what to iterate in place of a loader's own iterator; None leaves it. Loaders of feedrate's own classes that it
# iterates are not watched; their workers count for the loader that is.
iterator_factory: Optional[Callable[[Any], Optional[Iterator[Any]]]] = None

_session: Optional[Session] = None
_is_tried = False
_numbers = itertools.count()
_loaders: weakref.WeakKeyDictionary[Any, WatchedLoader] = weakref.WeakKeyDictionary()


def install() -> None:
    if hasattr(DataLoader.__iter__, "_feedrate"):
        return
    DataLoader.__new__ = _noting_new()
    DataLoader.__iter__ = _watching_iter(DataLoader.__iter__)
    worker._worker_loop = timing_worker(worker._worker_loop, [fetch._MapDatasetFetcher, fetch._IterableDatasetFetcher])
    os.register_at_fork(after_in_child=_forget)


def _noting_new() -> Any:
    """Notes who makes a loader. Not in __init__: where PyTorch raises in there, the traceback would show it."""

    def new(cls: type, *arguments: Any, **named: Any) -> Any:
        loader = super(DataLoader, cls).__new__(cls)
        try:
            loader.__dict__["_feedrate_made"] = (site_of(1), given_arguments(cls, arguments, named))
        except Exception:
            pass
        return loader

    new.__wrapped__ = DataLoader.__init__  # what inspect.signature() tells of the class
    return staticmethod(new)


def _watching_iter(original: Callable[[Any], Iterator[Any]]) -> Callable[[Any], Iterator[Any]]:
    @functools.wraps(original)
    def watching_iter(loader: Any) -> Iterator[Any]:
        session = _open_session()
        if session is None:
            return original(loader)
        if type(loader).__module__.startswith("feedrate."):
            iterator = original(loader)
            _guarded(session, lambda: session.add_workers(iterator))
            return iterator
        begun = time.monotonic_ns()
        watched = _guarded(session, lambda: _watched(session, loader))
        iterator = _guarded(session, lambda: iterator_factory(loader)) if iterator_factory else None
        if iterator is None:
            iterator = original(loader)
        if watched is None:
            return iterator
        watching = _guarded(session, lambda: _watch(session, watched, iterator, begun))
        return iterator if watching is None else watching

    watching_iter._feedrate = True
    return watching_iter


def _guarded(session: Session, action: Callable[[], Any]) -> Any:
    try:
        return action()
    except Exception:
        session.fail()
        return None


def _open_session() -> Optional[Session]:
    global _session, _is_tried, iterator_factory
    if not _is_tried and get_worker_info() is None:
        _is_tried = True
        try:
            _session = Session(os.environ["FEEDRATE_RUN"])
            if os.environ.get("FEEDRATE_TUNE"):
                iterator_factory = Tuning(_session).iterate
        except Exception:
            pass
    return _session if _session is not None and _session.is_on else None


def _watched(session: Session, loader: Any) -> WatchedLoader:
    watched = _loaders.get(loader)
    if watched is None:
        watched = _loaders[loader] = WatchedLoader(next(_numbers), loader)
        session.post("loader", loader=watched.number, **watched.description)
    session.current = watched
    return watched


def _watch(session: Session, watched: WatchedLoader, iterator: Iterator[Any], begun: int) -> Iterator[Any]:
    session.add_workers(iterator)
    session.start()
    epoch = Epoch(session, watched, GpuSpans(torch.cuda, session.spans, watched.number, watched.epochs))
    epoch.begin(begun, time.monotonic_ns())
    watched.epochs += 1
    return WatchedIterator(epoch, iterator)


def _forget() -> None:
    """In a forked child: the connection is its parent's."""
    global _session, _is_tried
    if _session is not None:
        _session.fail()  # for an iterator that goes on in the child
    _session, _is_tried = None, False
    _loaders.clear()
    copies.stop()
