# SPDX-License-Identifier: Apache-2.0
"""Sends small tensors of a trial worker's batch by value.

PyTorch sends each tensor as a file descriptor, which the training process holds as long as the tensor lives. A script that keeps
the labels of an epoch then runs out of descriptors, which it would not with num_workers=0. Large tensors, and tensors that share
their memory with others, are sent as usual.
"""
from __future__ import annotations

from multiprocessing.reduction import ForkingPickler
from typing import Any

import torch

_MOST_BYTES = 4096  # less than the capacity of a pipe


def send_small_tensors_by_value(collated: bool) -> None:
    """Called once in a worker. `collated`: PyTorch's default_collate makes the batches, which in a worker puts new tensors into shared
    memory; otherwise a tensor in shared memory may be the dataset's own."""
    pickler: Any = ForkingPickler  # its table of reducers is private
    usual = pickler._extra_reducers.get(torch.Tensor)
    if usual is not None:
        ForkingPickler.register(torch.Tensor, lambda tensor: _reduced(tensor) if _is_small(tensor, collated) else usual(tensor))


def _is_small(tensor: torch.Tensor, collated: bool) -> bool:
    try:
        size = tensor.numel() * tensor.element_size()
        return (
            size <= _MOST_BYTES
            and type(tensor) is torch.Tensor
            and tensor.layout is torch.strided
            and tensor.device.type == "cpu"
            and not tensor.requires_grad
            and (collated or not tensor.is_shared())
            and not tensor.is_quantized
            and not tensor.is_conj()
            and not tensor.is_neg()
            and tensor.is_contiguous()
            and _storage_bytes(tensor) == size
        )
    except Exception:
        return False


def _storage_bytes(tensor: torch.Tensor) -> int:
    storage = tensor.untyped_storage() if hasattr(tensor, "untyped_storage") else tensor.storage()
    return int(storage.nbytes())


def _reduced(tensor: torch.Tensor) -> Any:
    flat = tensor.detach().reshape(-1).view(torch.uint8)
    try:
        content = flat.numpy().tobytes()
    except RuntimeError:
        content = bytes(flat.tolist())
    return _rebuilt, (content, tensor.dtype, tuple(tensor.shape))


def _rebuilt(content: bytes, dtype: torch.dtype, shape: tuple[int, ...]) -> torch.Tensor:
    if not content:
        return torch.empty(shape, dtype=dtype)
    return torch.frombuffer(bytearray(content), dtype=dtype).reshape(shape).clone()  # copies into memory of its own, as collate does
