# SPDX-License-Identifier: Apache-2.0
"""Gives the loaders of a watched script the settings that `feedrate run --tune` asks for, while their loops go on.

A "switch" message asks; a row of marks says from which batch on the loader has the settings; a "switched" message says why it
has not, or no longer, and that it goes on with its own. See session.py.
"""
from __future__ import annotations

import weakref
from collections.abc import Iterator
from typing import Any, Optional

from .session import Session
from .switching import Epochs, LoaderSettings, SwitchableIterator, why_not_switchable

SWITCHED = -3  # in the place of the samples of a row of marks: from here on the loader has the settings of request `cpu`


class _Request:
    def __init__(self, number: int, at: int, settings: LoaderSettings) -> None:
        self.number = number
        self.at = at  # batches that the loader has handed out before
        self.settings = settings


class _TunedLoader:
    """What lasts from one epoch of a loader to the next. Any thread sets `request`; the rest belongs to the one that iterates."""

    def __init__(self, number: int, identity: Any, request: Optional[_Request]) -> None:
        self.number = number
        self.identity = identity
        self.batches = 0
        self.epochs = Epochs()
        self.request = request  # the last one
        self.seen: Optional[_Request] = None  # the last one that was taken notice of
        self.open: Optional[_Request] = None  # the same, until it is answered
        self.iterator: Any = lambda: None


class _TunedIterator:
    """One epoch."""

    def __init__(self, session: Session, loader: Any, tuned: _TunedLoader) -> None:
        last = tuned.iterator()
        if last is not None and loader.persistent_workers:
            last.close()  # as PyTorch ends an epoch that still runs
        self._session = session
        self._tuned = tuned
        self._loader = loader
        self._switching = SwitchableIterator(loader, epochs=tuned.epochs)
        self._failure: Optional[BaseException] = None
        tuned.iterator = weakref.ref(self)
        if tuned.open is not None:  # the epoch before ended first
            self._switching.switch(tuned.open.settings)

    def __iter__(self) -> Iterator[Any]:
        return self

    def __len__(self) -> int:
        return len(self._switching)

    def __next__(self) -> Any:
        tuned = self._tuned
        request = tuned.request
        if request is not tuned.seen and tuned.batches >= request.at:
            tuned.seen = tuned.open = request
            self._switching.switch(request.settings)
        batch = next(self._switching)
        tuned.batches += 1
        if tuned.open is not None or self._switching.failure is not self._failure:
            self._answer()
        return batch

    def __getattr__(self, name: str) -> Any:
        return getattr(self.__dict__["_switching"], name)

    def close(self) -> None:
        self._switching.close()

    def _answer(self) -> None:
        tuned, failure, request = self._tuned, self._switching.failure, self._tuned.seen
        if failure is not None and failure is not self._failure:
            problem = f"{type(failure).__name__}: {failure}"
            self._session.post("switched", loader=tuned.number, request=request.number, problem=problem)
            tuned.open = None
        elif tuned.open is not None and self._is_alone(request.settings.completed(self._loader)):
            self._session.marks.append((tuned.number, 0, 0, 0, SWITCHED, request.number))
            tuned.open = None
        self._failure = failure

    def _is_alone(self, settings: LoaderSettings) -> bool:
        return self._switching.outstanding == 0 and self._switching.settings == settings


class Tuning:
    """All of a process. `session.current` is the loader whose iterator is being made."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._loaders: weakref.WeakKeyDictionary[Any, _TunedLoader] = weakref.WeakKeyDictionary()
        self._last: dict[Any, _Request] = {}  # by what tells loaders apart, of one that is made anew
        session.on_switch = self._switch

    def iterate(self, loader: Any) -> Optional[Iterator[Any]]:
        """None where its settings cannot change: it is iterated as it is."""
        if why_not_switchable(loader, within=True) is not None:
            return None
        tuned = self._loaders.get(loader)
        if tuned is None:
            watched = self._session.current
            last = self._last.get(watched.identity)
            request = _Request(last.number, 0, last.settings) if last is not None else None
            tuned = self._loaders[loader] = _TunedLoader(watched.number, watched.identity, request)
        return _TunedIterator(self._session, loader, tuned)

    def _switch(self, message: dict[str, Any]) -> None:
        """On the sender's thread."""
        for tuned in list(self._loaders.values()):
            if tuned.number == message["loader"]:
                request = _Request(message["request"], message["at"], LoaderSettings(**message["settings"]))
                tuned.request = self._last[tuned.identity] = request
