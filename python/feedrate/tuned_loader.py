# SPDX-License-Identifier: Apache-2.0
"""Gives a loader of a watched script the settings that the program requests, while the script iterates.

A "switch" message requests settings. A row of marks states from which batch on the loader has them. A "switched" message states why
it does not have them, or no longer, and uses its own; a "limit" message states why no other settings are possible. See session.py.
"""
from __future__ import annotations

import weakref
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any, Optional

import torch

from .inner_loader import Inner
from .session import Session
from .switching import Epochs, LoaderSettings, Refusal, SwitchableIterator
from .worker_state import tell_workers_to_watch

_REPORTED_EACH = 256  # batches
SWITCHED = -3  # in a row of marks, instead of the samples: the loader now has the settings of request `cpu`


@dataclass(frozen=True)
class Request:
    number: int
    at: int  # after so many batches of the loader
    settings: LoaderSettings


class TunedLoader:
    """The state that lasts from one epoch of a loader to the next. Any thread may call ask(); the iterating thread does the rest. `last`:
    the last request to the loader that this one replaces. Raises if this PyTorch lacks what switching needs."""

    def __init__(self, number: int, loader: Any, last: Optional[Request]) -> None:
        Inner(loader, LoaderSettings.of(loader), torch.Generator(), is_trial=False)  # so that it fails now, not within an epoch
        tell_workers_to_watch()
        self.number = number
        self.batches = 0
        self.epochs = Epochs()
        self.request = None if last is None else replace(last, at=0)
        self.seen: Optional[Request] = None  # the last one that was acted on
        self.open: Optional[Request] = None  # the last one that was acted on, until it is answered
        self.iterator: Any = lambda: None
        self.posted_audits: Any = (0, None)
        self.posted_workers: list[int] = []

    def ask(self, number: int, at: int, settings: dict[str, Any]) -> Request:
        self.request = Request(number, at, LoaderSettings(**settings))
        return self.request


class TunedIterator:
    """One epoch. begin() draws and starts workers as PyTorch's iter() does; its exceptions are the user's."""

    def __init__(self, session: Session, loader: Any, tuned: TunedLoader) -> None:
        last = tuned.iterator()
        if last is not None and loader.persistent_workers:
            last.close()
        self._session = session
        self._tuned = tuned
        self._loader = loader
        self._switching = SwitchableIterator(loader, epochs=tuned.epochs)
        self._failure: Optional[BaseException] = None
        tuned.iterator = weakref.ref(self)
        session.interval_s = 0.1  # a slow setting is tried until the program receives its marks

    def begin(self) -> TunedIterator:
        self._switching.begin()
        if self._tuned.open is not None:  # the previous epoch ended before it took effect
            self._switching.switch(self._tuned.open.settings)
        return self

    def __iter__(self) -> Iterator[Any]:
        return self

    def __len__(self) -> int:
        return len(self._switching)

    def __next__(self) -> Any:
        tuned = self._tuned
        request = tuned.request
        if request is not None and request is not tuned.seen and tuned.batches >= request.at:
            tuned.seen = tuned.open = request
            self._switching.switch(request.settings)
        batch = next(self._switching)
        tuned.batches += 1
        if tuned.open is not None or self._switching.failure is not self._failure or tuned.batches % _REPORTED_EACH == 0:
            try:
                self._report()
            except Exception:
                self._session.fail()
        return batch

    def __getattr__(self, name: str) -> Any:
        return getattr(self.__dict__["_switching"], name)

    def close(self) -> None:
        self._switching.close()

    def _report(self) -> None:
        self._report_audits()
        tuned, failure, request = self._tuned, self._switching.failure, self._tuned.seen
        if failure is not None and failure is not self._failure:
            if isinstance(failure, Refusal):
                self._session.post("limit", loader=tuned.number, most_outstanding=0, why=str(failure))
            if request is not None:
                problem = str(failure) if isinstance(failure, Refusal) else f"{type(failure).__name__}: {failure}"
                self._session.post("switched", loader=tuned.number, request=request.number, problem=problem)
            tuned.open = None
        elif tuned.open is not None and request is not None and self._is_alone(request.settings.completed(self._loader)):
            self._session.marks.append((tuned.number, 0, 0, 0, SWITCHED, request.number))
            tuned.open = None
        self._failure = failure

    def _report_audits(self) -> None:
        """Sent before the answer to a switch, because the program needs the workers and their audits to judge it."""
        tuned, epochs = self._tuned, self._tuned.epochs
        if epochs.workers != tuned.posted_workers:
            tuned.posted_workers = epochs.workers
            self._session.post("workers", loader=tuned.number, processes=epochs.workers)
        audits = epochs.auditor.identical, epochs.difference
        if audits != tuned.posted_audits:
            tuned.posted_audits = audits
            self._session.post("audit", loader=tuned.number, identical=audits[0], difference=audits[1])

    def _is_alone(self, settings: LoaderSettings) -> bool:
        return self._switching.outstanding == 0 and self._switching.settings == settings
