# SPDX-License-Identifier: Apache-2.0
"""Gives a loader of a watched script the settings that the program asks for, while its loops go on.

A "switch" message asks; a row of marks says from which batch on the loader has the settings; a "switched" message says why it
has not, or no longer, and that it goes on with its own. See session.py.
"""
from __future__ import annotations

import weakref
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any, Optional

import torch

from .inner_loader import Inner
from .session import Session
from .switching import Epochs, LoaderSettings, SwitchableIterator

SWITCHED = -3  # in the place of the samples of a row of marks: from here on the loader has the settings of request `cpu`


@dataclass(frozen=True)
class Request:
    number: int
    at: int  # batches that the loader has handed out before
    settings: LoaderSettings


class TunedLoader:
    """What lasts from one epoch of a loader to the next. Any thread may call ask(); the rest belongs to the one that iterates.
    `last`: what was asked of a loader in whose place this one is. Raises where this PyTorch does not take what switching needs."""

    def __init__(self, number: int, loader: Any, last: Optional[Request]) -> None:
        Inner(loader, LoaderSettings.of(loader), torch.Generator(), own=False, apart=False)  # it fails now, not within an epoch
        self.number = number
        self.batches = 0  # handed out so far
        self.epochs = Epochs()
        self.request = None if last is None else replace(last, at=0)  # the last one
        self.seen: Optional[Request] = None  # the last one that was taken notice of
        self.open: Optional[Request] = None  # the same, until it is answered
        self.iterator: Any = lambda: None

    def ask(self, number: int, at: int, settings: dict[str, Any]) -> Request:
        self.request = Request(number, at, LoaderSettings(**settings))
        return self.request


class TunedIterator:
    """One epoch. As PyTorch's iter() it draws and starts workers, in begin(): what that raises is the user's."""

    def __init__(self, session: Session, loader: Any, tuned: TunedLoader) -> None:
        last = tuned.iterator()
        if last is not None and loader.persistent_workers:
            last.close()  # as PyTorch ends an epoch that still runs
        self._session = session
        self._tuned = tuned
        self._loader = loader
        self._switching = SwitchableIterator(loader, epochs=tuned.epochs)
        self._failure: Optional[BaseException] = None
        tuned.iterator = weakref.ref(self)
        session.interval_s = 0.1  # what is slow is tried until the program knows

    def begin(self) -> TunedIterator:
        self._switching.begin()
        if self._tuned.open is not None:  # the epoch before ended first
            self._switching.switch(self._tuned.open.settings)
        return self

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
            try:
                self._answer()
            except Exception:
                self._session.fail()
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
