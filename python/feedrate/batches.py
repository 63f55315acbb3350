# SPDX-License-Identifier: Apache-2.0
"""Finds, moves and counts the tensors of a batch, whatever its collate function returned."""
from __future__ import annotations

import copy
import dataclasses
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import torch

from .failures import Mistake


def tensors(batch: Any) -> Iterator[torch.Tensor]:
    """Every tensor of a batch: in mappings, sequences, dataclasses, and objects with a to() or pin_memory() of their own."""
    if isinstance(batch, torch.Tensor):
        yield batch
    elif isinstance(batch, Mapping):
        for value in batch.values():
            yield from tensors(value)
    elif isinstance(batch, Sequence) and not isinstance(batch, (str, bytes)):
        for value in batch:
            yield from tensors(value)
    elif dataclasses.is_dataclass(batch) and not isinstance(batch, type):
        for field in dataclasses.fields(batch):
            yield from tensors(getattr(batch, field.name, None))
    elif (hasattr(batch, "to") or hasattr(batch, "pin_memory")) and hasattr(batch, "__dict__"):
        for value in vars(batch).values():
            yield from tensors(value)


def moved(batch: Any, move: Callable[[torch.Tensor], torch.Tensor]) -> Any:
    """A copy of the batch with moved tensors, in mappings, sequences, named tuples and dataclasses. Other values stay."""
    if isinstance(batch, torch.Tensor):
        return move(batch)
    if isinstance(batch, Mapping):
        items = {key: moved(value, move) for key, value in batch.items()}
        kind: Any = type(batch)
        return items if kind is dict else kind(items)
    if isinstance(batch, tuple) and hasattr(batch, "_fields"):
        return type(batch)(*(moved(value, move) for value in batch))
    if isinstance(batch, (list, tuple)):
        return type(batch)(moved(value, move) for value in batch)
    if dataclasses.is_dataclass(batch) and not isinstance(batch, type):
        other = copy.copy(batch)
        for field in dataclasses.fields(batch):
            if hasattr(batch, field.name):
                object.__setattr__(other, field.name, moved(getattr(batch, field.name), move))  # the dataclass may be frozen
        return other
    return batch


def tensors_of(batch: Any) -> list[torch.Tensor]:
    """The tensors of a batch. Raises Mistake if there are none, because there would be nothing to copy."""
    found = list(tensors(batch))
    if not found:
        raise Mistake(
            f"dataset.torch: its batches have no tensors (the first is a {type(batch).__name__}); return tensors, numpy "
            "arrays or numbers, or convert the samples to tensors in dataset.collate_fn"
        )
    return found


def bytes_of(found: list[torch.Tensor]) -> int:
    return sum(tensor.numel() * tensor.element_size() for tensor in found)


def samples_of(batch: Any) -> int:
    """The number of samples: the first dimension of the first tensor that has one; 1 without such a tensor."""
    for tensor in tensors(batch):
        if tensor.dim() > 0:
            return int(tensor.shape[0])
    return 1
