# SPDX-License-Identifier: Apache-2.0
"""Compares batches of trial workers with the same batches loaded by the training process: the first batches of each worker, of
which the training gets the process's own, and later one in 200, which the process loads a second time.

Only for loaders with num_workers=0. With workers the training process must not load, because later workers would inherit what a
load leaves behind (an open file, a connection).
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
_SHARE = 0.001  # the largest share of the time that second loads take
AUDITED_BATCHES = 2  # per worker, before any of its batches reaches the training


class OtherItem(Exception):
    """The sampler yields another item now than it did when it was asked ahead."""


class WorkersAudit:
    """Compares the first batches of trial workers with those that the training process loads, and trains on, itself."""

    def __init__(self, inner: Inner, ahead: SamplerAhead, patience_s: float) -> None:
        self.inner = inner
        self.needed = AUDITED_BATCHES * inner.settings.num_workers
        self._ahead = ahead
        self._own: dict[int, tuple[Any, Snapshot]] = {}  # position -> (item, contents of its batch)
        self._patience_s = patience_s
        self._progress_at = time.monotonic()

    def note(self, position: int, item: Any, batch: Any) -> None:
        self._own[position] = item, content(batch)

    def has_begun(self, taken: int) -> bool:
        """Whether the workers have begun the first uncompared batch, and the training process, which has `taken` items, has that batch."""
        return bool(self._ahead.positions) and self._ahead.positions[0] < taken

    def compare_next(self) -> Optional[str]:
        """Waits for the workers' next batch and returns the path of the first difference, or None. Raises the worker's exception, or
        OtherItem."""
        other = self.inner.next()
        self.inner.feed.taken.popleft()
        self._progress_at = time.monotonic()
        item, own = self._own.pop(self._ahead.positions[0])
        if not self._ahead.passes(item):
            raise OtherItem
        return first_change(own, content(other))

    def check_patience(self) -> None:
        if time.monotonic() - self._progress_at > self._patience_s:
            raise TimeoutError("they brought no batch in time")


class Auditor:
    """Decides which batches are audited, and counts identical ones. One thread."""

    def __init__(self) -> None:
        self.identical = 0
        self._left = _EACH
        self._at = time.monotonic()
        self._took = 0.0

    def ask_for_next(self) -> None:
        """Makes the next batch due: the workers have changed."""
        self._left = 0
        self._took = 0.0

    def is_due(self) -> bool:
        """Whether to audit the batch that is being handed out. Called once per batch."""
        self._left -= 1
        return self._left < 0 and _SHARE * (time.monotonic() - self._at) >= self._took

    def compare(self, loader: Any, item: Any, batch: Any) -> tuple[Any, Optional[str]]:
        """Returns the batch, or the training process's own where the two differ, and the path of the difference. Raises the dataset's
        exceptions."""
        begun = time.monotonic()
        again = _load_again(loader, item)
        difference = first_change(content(again), content(batch))
        self._left, self._at = _EACH, time.monotonic()
        self._took = self._at - begun
        self.identical += difference is None
        return (batch if difference is None else again), difference


def _load_again(loader: Any, item: Any) -> Any:
    """Loads the item in this process and restores its random states."""
    states = random_states()
    try:
        feed: dict[str, Any] = {"batch_size": None, "sampler": [item]} if loader.batch_sampler is None else {"batch_sampler": [item]}
        return next(iter(_SecondLoader(loader.dataset, collate_fn=loader.collate_fn, generator=Generator(), **feed)))
    finally:
        set_random_states(states)


class _SecondLoader(DataLoader):
    """A loader that the hook does not watch, because its class is defined in feedrate."""
