# SPDX-License-Identifier: Apache-2.0
"""Patches torch.utils.data.DataLoader to measure what its loops wait for: all loaders of a script of `feedrate run`, elsewhere only
those that are marked (api.py).

install() replaces methods of PyTorch's classes, and of torchdata's. No connection is made before a watched loader is iterated, and
none in DataLoader's workers. An error in this module leaves the script unwatched, never broken.
"""
from __future__ import annotations

import contextlib
import functools
import itertools
import os
import sys
import threading
import time
import weakref
from collections.abc import Iterator
from typing import Any, Callable, Optional

import torch
from torch.utils.data import DataLoader, get_worker_info
from torch.utils.data._utils import collate, fetch, worker

from . import copies
from .debug import report
from .fetches import timing_worker
from .loaders import NOT_MADE, Made, WatchedLoader, given_arguments, length_of, parameters_of
from .marks import Epoch, GpuSpans, WatchedIterator
from .program import socket_path
from .session import Session
from .sites import made_at
from .switchable import why_not_switchable
from .tuned_loader import Request, TunedIterator, TunedLoader

# Called with each loader that is about to be iterated, and may mark it.
rules: list[Callable[[Any], None]] = []

# Keys in a loader's __dict__, with plain values: where and how it was made; the budget for trials, or None to only watch.
_MADE = "_feedrate_made"
_MARK = "_feedrate_tune"
_MOST_KNOWN = 1000  # datasets, and sites

_FETCHERS = [fetch._MapDatasetFetcher, fetch._IterableDatasetFetcher]

_watches_all = False
_making = threading.local()  # .loader: the one whose iterator is being made
_session: Optional[Session] = None
_is_tried = False
_numbers = itertools.count()
_loaders: weakref.WeakKeyDictionary[Any, WatchedLoader] = weakref.WeakKeyDictionary()
_by_number: weakref.WeakValueDictionary[int, WatchedLoader] = weakref.WeakValueDictionary()
_asked: dict[int, Request] = {}  # the last request of each WatchedLoader.group
_opening = threading.RLock()  # guards the session and the announcements, because several threads may iterate loaders
# All loaders made at one site, including deleted ones: (loader, its length, its group).
_sites: dict[Any, list[tuple[weakref.ref[Any], Optional[int], int]]] = {}
_of_dataset: dict[int, weakref.ref[Any]] = {}  # by a dataset's id, the last loader that the script made over it


def install(watches_all: bool = False) -> None:
    """`watches_all`: watch unmarked loaders, too, for the life of the process. Call it again after torchdata was imported."""
    global _watches_all
    _watches_all = _watches_all or watches_all
    if not hasattr(DataLoader.__iter__, "_feedrate"):
        DataLoader.__new__ = _noting_new()
        DataLoader.__iter__ = _watching_iter(DataLoader.__iter__)
        DataLoader._get_iterator = _watching_iter(DataLoader._get_iterator)  # ultralytics calls it directly
        worker._worker_loop = timing_worker(worker._worker_loop, _FETCHERS)
        os.register_at_fork(after_in_child=_forget)
    _install_stateful(sys.modules.get("torchdata.stateful_dataloader.stateful_dataloader"))


def _install_stateful(module: Any) -> None:
    loader = getattr(module, "StatefulDataLoader", None)
    if loader is not None and not hasattr(loader.__iter__, "_feedrate"):
        loader.__iter__ = _watching_iter(loader.__iter__)
        loop = timing_worker(module._worker_loop, _FETCHERS)
        of_loop: Any = sys.modules[loop.__module__]  # spawn finds the loop there
        module._worker_loop = of_loop._worker_loop = loop


def mark(loader: Any, budget: Optional[float]) -> None:
    """Watches the loader from its next iter(), and tunes it if there is a budget: a share of the time of its first 1,000 steps."""
    install()
    own = vars(_inner(loader))
    own.setdefault(_MADE, Made(made_at(1), None, []))  # if it was made before install()
    if _MARK not in own or own[_MARK] != budget:
        own[_MARK] = budget
        _loaders.pop(_inner(loader), None)  # announces it again


def watched_loader(loader: Any) -> Optional[WatchedLoader]:
    """None before the loader's first iter(), and if it is not watched."""
    return _loaders.get(_inner(loader))


def _inner(loader: Any) -> Any:
    """The DataLoader itself: a loader of accelerate wraps one and imitates it."""
    return vars(loader).get("base_dataloader", loader)


def _noting_new() -> Any:
    """A __new__ that records who makes a loader. A wrapped __init__ would appear in the tracebacks of its errors."""

    def new(cls: type, *arguments: Any, **named: Any) -> Any:
        loader = super(DataLoader, cls).__new__(cls)
        try:
            loader.__dict__.update(_notes(cls, arguments, named))
            _note_dataset(loader, arguments, named)
        except Exception:
            pass
        return loader

    noting: Any = new
    noting.__wrapped__ = DataLoader.__init__  # inspect.signature() reads it
    return staticmethod(noting)


def _notes(cls: type, arguments: tuple[Any, ...], named: dict[str, Any]) -> dict[str, Any]:
    """The notes of a new loader. A framework's replacement of the user's loader, as by accelerate's prepare(), takes over its notes."""
    site = made_at(2)
    given = given_arguments(cls, arguments, named, site.library)
    dataset = arguments[0] if arguments else named.get("dataset")
    known = _of_dataset.get(id(dataset))
    users = known() if known is not None else None
    if site.library and users is not None and users.dataset is dataset and _is_collated_alike(users, named.get("collate_fn")):
        return {name: note for name, note in vars(users).items() if name in (_MADE, _MARK)}
    return {_MADE: Made(site, given, parameters_of(cls) if site.is_direct else [])}


def _is_collated_alike(users: Any, collate_fn: Any) -> bool:
    if collate_fn is None:
        return users.collate_fn in (collate.default_collate, collate.default_convert)
    return users.collate_fn is collate_fn


def _note_dataset(loader: Any, arguments: tuple[Any, ...], named: dict[str, Any]) -> None:
    if vars(loader)[_MADE].site.library:
        return
    if len(_of_dataset) >= _MOST_KNOWN:
        for key in [key for key, known in _of_dataset.items() if known() is None]:
            del _of_dataset[key]
    _of_dataset[id(arguments[0] if arguments else named.get("dataset"))] = weakref.ref(loader)


def _group_of(number: int, loader: Any) -> int:
    """The group of a deleted loader that the script made at the same site, else `number`."""
    made = vars(loader).get(_MADE, NOT_MADE)
    key = made.site.stack, made.site.line, type(loader), type(loader.dataset), type(loader.sampler)
    length = length_of(loader)
    known = _sites.setdefault(key, [])
    same = [entry for entry in known if entry[0]() is loader]
    gone = [entry for entry in known if entry[0]() is None]
    former = next(iter(same + [entry for entry in gone if entry[1] == length] + gone[-1:]), None)
    if former is not None:
        known.remove(former)
    known.append((weakref.ref(loader), length, number if former is None else former[2]))
    if len(_sites) > _MOST_KNOWN:
        del _sites[next(iter(_sites))]
    return known[-1][2]




def _watching_iter(original: Callable[[Any], Iterator[Any]]) -> Callable[[Any], Iterator[Any]]:
    @functools.wraps(original)
    def watching_iter(loader: Any) -> Iterator[Any]:
        if getattr(_making, "loader", None) is loader:  # called by __iter__, which is patched as well
            return original(loader)
        if type(loader).__module__.startswith("feedrate."):  # its workers count for the loader that is tuned
            with _making_of(loader):
                iterator = original(loader)
            if _session is not None:
                _guarded(_session, lambda: _session.add_workers(iterator))
            return iterator
        session = _open_session() if _is_watched(loader) else None
        if session is None:
            return original(loader)
        begun = time.monotonic_ns()
        watched = _guarded(session, lambda: _announced(session, loader))
        tuned = _guarded(session, lambda: _tuned(session, watched, loader)) if watched is not None else None
        with _making_of(loader):
            iterator = original(loader) if tuned is None else tuned.begin()
        if watched is None:
            return iterator
        watching = _guarded(session, lambda: _watch(session, watched, iterator, begun))
        return iterator if watching is None else watching

    vars(watching_iter)["_feedrate"] = True
    return watching_iter


@contextlib.contextmanager
def _making_of(loader: Any) -> Iterator[None]:
    before = getattr(_making, "loader", None)
    _making.loader = loader
    try:
        yield
    finally:
        _making.loader = before


def _guarded(session: Session, action: Callable[[], Any]) -> Any:
    try:
        return action()
    except Exception:
        report()
        session.fail()
        return None


def _is_watched(loader: Any) -> bool:
    try:
        for rule in rules:
            rule(loader)
    except Exception:
        pass
    return _watches_all or _MARK in vars(loader)


def _open_session() -> Optional[Session]:
    global _session, _is_tried
    if not _is_tried and get_worker_info() is None:
        with _opening:
            try:
                if not _is_tried:
                    path = socket_path()
                    if path is not None:
                        _session = Session(path)
                        _session.on_message = _receive
            except Exception:
                report()
            _is_tried = True
    return _session if _session is not None and _session.is_on else None


def _receive(message: dict[str, Any]) -> None:
    """Handles a message of the program. Runs on the sender's thread."""
    if message["event"] == "stop" and _session is not None:
        _session.is_to_stop = True
    watched = _by_number.get(message.get("loader", -1))
    if watched is None:
        return
    if message["event"] == "switch" and watched.tuned is not None:
        _asked[watched.group] = watched.tuned.ask(message["request"], message["at"], message["settings"])
    elif message["event"] == "verdict":
        watched.take_verdict(message["verdict"])


def _announced(session: Session, loader: Any) -> WatchedLoader:
    with _opening:
        watched = _loaders.get(loader)
        if watched is None:
            number, budget = next(_numbers), vars(loader).get(_MARK)
            is_tuned = budget is not None or bool(os.environ.get("FEEDRATE_TUNE"))
            watched = _loaders[loader] = WatchedLoader(number, _group_of(number, loader), loader, budget, is_tuned)
            _by_number[number] = watched
            session.post("loader", loader=number, **watched.description)
    session.current = watched
    return watched


def _tuned(session: Session, watched: WatchedLoader, loader: Any) -> Optional[TunedIterator]:
    """Returns None if the loader's settings cannot or shall not change."""
    if not watched.is_tuned or why_not_switchable(loader, within=True) is not None:
        return None
    if watched.tuned is None:
        watched.tuned = TunedLoader(watched.number, loader, _asked.get(watched.group))
    return TunedIterator(session, loader, watched.tuned)


def _watch(session: Session, watched: WatchedLoader, iterator: Iterator[Any], begun: int) -> Iterator[Any]:
    session.add_workers(iterator)
    session.start()
    epoch = Epoch(session, watched, GpuSpans(torch.cuda, session.spans, watched.number, watched.epochs))
    epoch.begin(begun, time.monotonic_ns())
    watched.epochs += 1
    return WatchedIterator(epoch, iterator)


def _forget() -> None:
    """Resets a forked child: the connection is its parent's."""
    global _session, _is_tried
    if _session is not None:
        _session.fail()  # an iterator may continue in the child
    _session, _is_tried = None, False
    _loaders.clear()
    _asked.clear()
    _sites.clear()
    copies.stop()
