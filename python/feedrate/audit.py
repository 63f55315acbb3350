# SPDX-License-Identifier: Apache-2.0
"""Compares batches of trial workers with the same ones of the training process: the first ones of each worker, which the training
process loads and trains itself, and later one in 200, which it loads a second time.

Only for loaders with num_workers=0: the training process of others must not load, since what a load leaves behind (an open file, a
connection) would be inherited by all later workers.
"""
from __future__ import annotations

import time
from typing import Any, Optional

from torch import Generator
from torch.utils.data import DataLoader

from .fingerprint import content
from .inner_loader import Inner
from .random_states import random_states, set_random_states
from .sampler_ahead import SamplerAhead
from .snapshot import Snapshot, first_change

_EACH = 200  # batches
_SHARE = 0.001  # of the time that second loads take at most
AUDITED_BATCHES = 2  # for each worker, before any reaches the training


class OtherItem(Exception):
    """The sampler has given another item than when it was asked ahead."""


class WorkersAudit:
    """Compares batches of trial workers with the same ones that the training process loads, and trains, itself."""

    def __init__(self, inner: Inner, ahead: SamplerAhead, patience_s: float) -> None:
        self.inner = inner
        self.needed = AUDITED_BATCHES * inner.settings.num_workers
        self._ahead = ahead
        self._own: dict[int, tuple[Any, Snapshot]] = {}  # items, and contents of their batches, by place
        self._patience_s = patience_s
        self._progress_at = time.monotonic()

    def note(self, place: int, item: Any, batch: Any) -> None:
        """The training process has loaded it."""
        self._own[place] = item, content(batch)

    def has_begun(self, taken: int) -> bool:
        """The workers have begun the first batch that is not compared, and the training process, which has `taken` items, has it."""
        return bool(self._ahead.places) and self._ahead.places[0] < taken

    def compare_next(self) -> Optional[str]:
        """Waits for it. The path of what differs. Raises what the worker raises, and OtherItem."""
        other = self.inner.next()
        self.inner.feed.taken.popleft()
        self._progress_at = time.monotonic()
        item, own = self._own.pop(self._ahead.places[0])
        if not self._ahead.passes(item):
            raise OtherItem
        return first_change(own, content(other))

    def check_patience(self) -> None:
        if time.monotonic() - self._progress_at > self._patience_s:
            raise TimeoutError("they brought no batch in time")


class Auditor:
    """Which batches are audited, and how many were identical. One thread."""

    def __init__(self) -> None:
        self.identical = 0
        self._left = _EACH  # batches until the next audit
        self._at = time.monotonic()
        self._took = 0.0  # seconds, the last one

    def ask_for_next(self) -> None:
        """Other workers load from here on."""
        self._left = 0
        self._took = 0.0

    def is_due(self) -> bool:
        """Whether the batch that is handed out now is to be audited."""
        self._left -= 1
        return self._left < 0 and _SHARE * (time.monotonic() - self._at) >= self._took

    def compare(self, loader: Any, item: Any, batch: Any) -> tuple[Any, Optional[str]]:
        """Returns the batch, as the training process loads it where they differ, and how they differ. Raises what the dataset raises."""
        begun = time.monotonic()
        again = _load_again(loader, item)
        difference = first_change(content(again), content(batch))
        self._left, self._at = _EACH, time.monotonic()
        self._took = self._at - begun
        self.identical += difference is None
        return (batch if difference is None else again), difference


def _load_again(loader: Any, item: Any) -> Any:
    """Loads the item in this process, and leaves its random states as they are."""
    states = random_states()
    try:
        feed: dict[str, Any] = {"batch_size": None, "sampler": [item]} if loader.batch_sampler is None else {"batch_sampler": [item]}
        return next(iter(_SecondLoader(loader.dataset, collate_fn=loader.collate_fn, generator=Generator(), **feed)))
    finally:
        set_random_states(states)


class _SecondLoader(DataLoader):
    """The hook leaves classes of feedrate's modules unwatched."""
