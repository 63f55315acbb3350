# SPDX-License-Identifier: Apache-2.0
"""watch() and tune(): feedrate in a script or a notebook that was not started by `feedrate run`.

The program runs as a helper from the first iter() of a marked loader, and prints its findings to stderr when the script ends. If
the program is not installed, one line on stderr reports that, and loaders iterate as before. Nothing raises in a loop.
"""
from __future__ import annotations

from typing import Any, Optional, TypeVar

from torch.utils.data import DataLoader

from . import patch
from .recommended import Recommendation

__all__ = ["Recommendation", "recommendation", "tune", "watch"]

Loader = TypeVar("Loader", bound="DataLoader[Any]")

patch.install()


def watch(loader: Loader) -> Loader:
    """Marks the loader and returns it: from its next iter() feedrate measures how long the loop waits for batches.

    A step costs a few microseconds more. Raises TypeError unless `loader` is a torch.utils.data.DataLoader."""
    patch.mark(_checked(loader, "watch"), None)
    return loader


def tune(loader: Loader, budget: float = 0.05) -> Loader:
    """Marks the loader and returns it: from its next iter() feedrate tries DataLoader settings while it iterates, and keeps the
    best. The batches and their order do not change.

    `budget` is the share of the time of the first 1,000 steps that trials may cost. Raises TypeError unless `loader` is a
    torch.utils.data.DataLoader, ValueError unless `budget` is above 0 and at most 1."""
    if not 0 < budget <= 1:
        raise ValueError(f"feedrate.tune() expects a budget above 0 and at most 1, not {budget}")
    patch.mark(_checked(loader, "tune"), float(budget))
    return loader


def recommendation(loader: "DataLoader[Any]") -> Optional[Recommendation]:
    """Returns feedrate's current findings for a loader; None before about 100 steps, and for a loader that is not watched.

    Thread-safe. Raises TypeError unless `loader` is a torch.utils.data.DataLoader."""
    watched = patch.watched_loader(_checked(loader, "recommendation"))
    return None if watched is None else watched.recommendation


def _checked(loader: Any, function: str) -> Any:
    if not isinstance(loader, DataLoader):
        raise TypeError(f"feedrate.{function}() expects a torch.utils.data.DataLoader, not {type(loader).__name__}")
    return loader
