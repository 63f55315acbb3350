# SPDX-License-Identifier: Apache-2.0
"""Loads a batch of a trial worker a second time, in the training process, and compares the two.

Only for loaders with num_workers=0: the training process of others must not load, since what a load leaves behind (an open file, a
connection) would be inherited by all later workers.
"""
from __future__ import annotations

import time
from typing import Any, Callable, Optional

from torch import Generator
from torch.utils.data import DataLoader
from torch.utils.data._utils import fetch
from torch.utils.data._utils.pin_memory import pin_memory

from .fingerprint import content, first_change
from .random_states import States, random_states, set_random_states

_EACH = 200  # batches, and the second load takes at most one 200th of the time


class AuditedItem:
    """In place of indices: the worker says with which random states it began."""

    def __init__(self, indices: Any) -> None:
        self.indices = indices


class AuditedBatch:
    def __init__(self, batch: Any, states: States) -> None:
        self.batch = batch
        self.states = states

    def pin_memory(self, *device: Any) -> AuditedBatch:
        """Called by PyTorch's pinning thread."""
        return AuditedBatch(pin_memory(self.batch, *device), self.states)


def answer_audits() -> None:
    """In a worker, for the rest of its life."""
    for fetcher in (fetch._MapDatasetFetcher, fetch._IterableDatasetFetcher):
        fetcher.fetch = _answering(fetcher.fetch)


def _answering(usual: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Any]:
    def answering_fetch(fetcher: Any, item: Any) -> Any:
        if type(item) is not AuditedItem:
            return usual(fetcher, item)
        states = random_states()
        return AuditedBatch(usual(fetcher, item.indices), states)

    return answering_fetch


class Auditor:
    """Which batches are audited, and how many were identical. One thread."""

    def __init__(self) -> None:
        self.identical = 0
        self._asked = 0
        self._since = 0  # batches
        self._at = time.monotonic()
        self._took = 0.0  # seconds, the last second load

    def ask_for_one(self) -> None:
        """As other workers load from here on."""
        self._asked = 1

    def is_due(self) -> bool:
        """Of the batch that is asked for now."""
        self._since += 1
        if self._asked:
            self._asked -= 1
            return True
        return self._since >= _EACH and time.monotonic() - self._at >= _EACH * self._took

    def compare(self, loader: Any, item: Any, audited: AuditedBatch) -> tuple[Any, Optional[str]]:
        """Returns the batch as the training process loads it where they differ, else the worker's; and how they differ. Raises what
        the dataset raises."""
        self._since, self._at = 0, time.monotonic()
        again = load_again(loader, item, audited.states)
        difference = first_change(content(again), content(audited.batch))
        self._took = time.monotonic() - self._at
        self.identical += difference is None
        return (audited.batch if difference is None else again), difference


def load_again(loader: Any, item: Any, states: States) -> Any:
    """By this process, from these random states. Its own ones stay as they are."""
    own = random_states()
    set_random_states(states)
    try:
        feed: dict[str, Any] = {"batch_size": None, "sampler": [item]} if loader.batch_sampler is None else {"batch_sampler": [item]}
        return next(iter(_SecondLoader(loader.dataset, collate_fn=loader.collate_fn, generator=Generator(), **feed)))
    finally:
        set_random_states(own)


class _SecondLoader(DataLoader):
    """One of feedrate's, which nobody watches."""

