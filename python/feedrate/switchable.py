# SPDX-License-Identifier: Apache-2.0
"""Decides which loaders can get other settings within an epoch."""
from __future__ import annotations

from typing import Any, Optional

import torch
from torch.utils.data import DataLoader, IterableDataset, MapDataPipe

from .trial_workers import trial_start_method


def why_not_switchable(loader: Any, within: bool = False) -> Optional[str]:
    """The reason as a sentence, or None. `within`: the caller replaces DataLoader.__iter__ itself, so that a subclass's own __iter__ around
    it stays in effect."""
    if not isinstance(loader, DataLoader):
        return f"{type(loader).__name__} is not a torch.utils.data.DataLoader."
    if isinstance(loader.dataset, IterableDataset):
        return "The dataset is iterable: its workers divide the stream among themselves."
    if isinstance(loader.dataset, MapDataPipe):
        return "The dataset is a DataPipe, which is divided among the workers when they start."
    if hasattr(loader, "state_dict"):
        return f"{type(loader).__name__} has a state_dict of the place within an epoch."
    for name in ("_get_iterator",) if within else ("__iter__", "_get_iterator"):
        if getattr(type(loader), name, None) is not getattr(DataLoader, name, None):
            return f"{type(loader).__name__} has a method {name} of its own."
    for sampler in (loader.batch_sampler, loader.sampler):
        if hasattr(sampler, "state_dict"):
            return f"{type(sampler).__name__} has a state_dict, which depends on how far ahead it was asked."
    if loader.generator is None and _starts_sampler_again(loader):
        return f"The sampler of {type(loader).__name__} starts again within an epoch, and may draw from the global generators then."
    if loader.num_workers == 0 and trial_start_method(loader) != "fork":
        return f"Its workers would start by {trial_start_method(loader)}: they run the script again, which may not expect it."
    if torch.empty(0).device.type != "cpu":
        return "torch.set_default_device() makes the loader draw its seeds on a device other than the CPU."
    return None


def sampler_of_batches(loader: DataLoader) -> Any:
    """The batch sampler; the sampler if each of its items is a batch."""
    return loader.sampler if loader.batch_sampler is None else loader.batch_sampler


def _starts_sampler_again(loader: DataLoader) -> bool:
    """Whether the sampler lacks the length that the loader knows: it then continues over all epochs, which keeps workers alive."""
    if hasattr(sampler_of_batches(loader), "__len__"):
        return False
    try:
        return len(loader) > 0
    except Exception:
        return False
