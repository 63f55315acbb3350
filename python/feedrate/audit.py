# SPDX-License-Identifier: Apache-2.0
"""Loads a batch of a trial worker a second time, in the training process, and compares the two.

Only for loaders with num_workers=0: the training process of others must not load, since what a load leaves behind (an open file, a
connection) would be inherited by all later workers.
"""
from __future__ import annotations

import time
from typing import Any, Optional

from torch import Generator
from torch.utils.data import DataLoader

from .fingerprint import content, first_change
from .random_states import random_states, set_random_states

_EACH = 200  # batches, and the second load takes at most one 200th of the time


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
        return self._left < 0 and time.monotonic() - self._at >= _EACH * self._took

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
