# SPDX-License-Identifier: Apache-2.0
"""Gives a loader of a watched script the settings that the program asks for, while its loops go on.

A "switch" message asks; a row of marks says from which batch on the loader has the settings; a "switched" message says why it
has not, or no longer, and that it goes on with its own; a "limit" message, that no other settings are possible at all. See session.py.
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
        Inner(loader, LoaderSettings.of(loader), torch.Generator(), is_trial=False)  # it fails now, not within an epoch
        tell_workers_to_watch()
        self.number = number
        self.batches = 0  # handed out so far
        self.epochs = Epochs()
        self.request = None if last is None else replace(last, at=0)  # the last one
        self.seen: Optional[Request] = None  # the last one that was taken notice of
        self.open: Optional[Request] = None  # the same, until it is answered
        self.iterator: Any = lambda: None
        self.posted_audits: Any = (0, None)
        self.posted_workers: list[int] = []

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
        """Before what the program makes of a switch: what the workers are, and what is known of their batches."""
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
