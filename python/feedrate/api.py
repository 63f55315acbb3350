# SPDX-License-Identifier: Apache-2.0
"""watch() and tune(): feedrate within a script or a notebook, where nobody has started `feedrate run`.

The program runs as a helper from the first iter() of a marked loader on, and says what it found on stderr when the script ends.
Without the program a line on stderr says so, and loaders iterate as before. Nothing raises in a loop.
"""
from __future__ import annotations

from typing import Any, Optional, TypeVar

from torch.utils.data import DataLoader

from . import patch
from .verdict import Recommendation

__all__ = ["Recommendation", "recommendation", "tune", "watch"]

Loader = TypeVar("Loader", bound="DataLoader[Any]")

patch.install()


def watch(loader: Loader) -> Loader:
    """Returns the same loader, marked: from its next iter() on feedrate measures what its loop waits for.

    A step costs a few microseconds more. Raises TypeError for what is no torch.utils.data.DataLoader."""
    patch.mark(_checked(loader, "watch"), None)
    return loader


def tune(loader: Loader, budget: float = 0.05) -> Loader:
    """Returns the same loader, marked: from its next iter() on feedrate tries DataLoader settings while it iterates, and keeps the
    best. The batches and their order stay what they are.

    `budget` is what trying may cost, as a share of the time of the first 1,000 steps. Raises TypeError for what is no
    torch.utils.data.DataLoader, ValueError for a budget that is not above 0 and at most 1."""
    if not 0 < budget <= 1:
        raise ValueError(f"feedrate.tune() expects a budget above 0 and at most 1, not {budget}")
    patch.mark(_checked(loader, "tune"), float(budget))
    return loader


def recommendation(loader: "DataLoader[Any]") -> Optional[Recommendation]:
    """What feedrate has found for it so far; None before about 100 steps, and for a loader that nobody watches.

    Any thread. Raises TypeError for what is no torch.utils.data.DataLoader."""
    watched = patch.watched_loader(_checked(loader, "recommendation"))
    return None if watched is None else watched.recommendation


def _checked(loader: Any, function: str) -> Any:
    if not isinstance(loader, DataLoader):
        raise TypeError(f"feedrate.{function}() expects a torch.utils.data.DataLoader, not {type(loader).__name__}")
    return loader
