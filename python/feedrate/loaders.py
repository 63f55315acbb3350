# SPDX-License-Identifier: Apache-2.0
"""What is told of a DataLoader, and what is kept of it while it is watched."""
from __future__ import annotations

import inspect
import multiprocessing
from typing import Any, Optional

import torch

from .copies import CopyNotes
from .marks import first_dimension
from .session import Session
from .switching import why_not_switchable

_SETTINGS = (
    "batch_size", "num_workers", "prefetch_factor", "pin_memory", "persistent_workers", "in_order", "drop_last", "timeout"
)


def given_arguments(loader_class: type, arguments: tuple[Any, ...], named: dict[str, Any]) -> dict[str, Any]:
    """By the parameters' names: plain values as they are, others as "<class>"."""
    parameters = list(inspect.signature(loader_class.__init__).parameters)[1:]
    return {name: _plain(value) for name, value in {**dict(zip(parameters, arguments)), **named}.items()}


def _plain(value: Any) -> Any:
    return value if value is None or isinstance(value, (bool, int, float, str)) else f"<{type(value).__name__}>"


class WatchedLoader:
    """Kept as long as its DataLoader lives. `number` tells the loaders of a process apart."""

    def __init__(self, number: int, loader: Any) -> None:
        self.number = number
        self.epochs = 0
        self.copies: Optional[CopyNotes] = CopyNotes(torch.Tensor)
        self._batch_size = loader.batch_size if isinstance(loader.batch_size, int) else None
        self._is_counted: Optional[bool] = None  # whether a batch's first dimension tells its samples

    def samples(self, batch: Any) -> int:
        if self._is_counted is None:
            self._is_counted = self._batch_size is None or first_dimension(batch) == self._batch_size
        return first_dimension(batch) if self._is_counted else self._batch_size

    def post_copies(self, session: Session) -> None:
        """Once, after enough steps or at the end of an epoch."""
        if self.copies is not None:
            self.copies.stop()
            session.post("copies", loader=self.number, copies=self.copies.found())
            self.copies = None


def description(loader: Any) -> dict[str, Any]:
    """The fields of a "loader" message; feedrate/session.py says what they are."""
    site, given = getattr(loader, "_feedrate_made", ("", {}))
    settings = {name: _plain(getattr(loader, name, None)) for name in _SETTINGS}
    context = loader.multiprocessing_context
    method = multiprocessing.get_start_method(allow_none=True) if context is None else context.get_start_method()
    settings["start_method"] = method or multiprocessing.get_all_start_methods()[0]
    return {
        "site": site,
        "class": type(loader).__qualname__,
        "dataset": type(loader.dataset).__qualname__,
        "sampler": type(loader.sampler).__qualname__,
        "length": _length(loader),
        "given": given,
        "settings": settings,
        "fixed": why_not_switchable(loader, within=True),
    }


def _length(loader: Any) -> Optional[int]:
    """Asked only of PyTorch's own samplers: another's len() may compute, or draw random numbers."""
    indices = loader._index_sampler
    own = [indices, loader.sampler] if loader.batch_sampler is not None else [indices]
    if isinstance(loader.dataset, torch.utils.data.IterableDataset):
        return None
    return len(indices) if all(type(sampler).__module__.startswith("torch.") for sampler in own) else None
