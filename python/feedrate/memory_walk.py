# SPDX-License-Identifier: Apache-2.0
"""Hashes tensors, arrays and buffers for fingerprint.py: small ones whole, large ones by a sample."""
from __future__ import annotations

import mmap
import sys
from collections.abc import Iterable, Sequence
from typing import Any, Callable, Optional

import torch

from .snapshot import Hazard, Snapshot

WHOLE = 64  # a container of at most so many elements is walked whole
WHOLE_BYTES = 4096
_WHOLE_CONTENT_BYTES = 4 << 20
_ROW_BYTES = 256
_MOST_WATCHED = 256


class MemoryWalk:
    """`with_identity`: later walks look at the same objects, not at copies, so addresses count."""

    def __init__(self, touched: Sequence[int], with_identity: bool) -> None:
        self.snapshot = Snapshot()
        self._touched = [index for index in touched if type(index) is int][:WHOLE]
        self._with_identity = with_identity

    def _watch(self, watched: list[Any], index: int, what: Any) -> None:
        """Adds to what Snapshot.quick() checks; the limit keeps that fast."""
        if self._with_identity and len(watched) < _MOST_WATCHED:
            watched.append((index, what))

    def _hazard(self, index: int, what: str, is_shared: bool = False) -> None:
        self.snapshot.hazards.append(Hazard(self.snapshot.path(index), what, is_shared))

    def _sample(self, size: int) -> list[int]:
        touched = [position for position in self._touched if 0 <= position < size]
        return [*range(16), *range(size - 16, size), *range(16, size - 16, max(1, size // 32)), *touched]

    def _tensor(self, value: torch.Tensor, index: int) -> tuple[Any, Iterable[tuple[Any, Any]]]:
        where = None
        if self._with_identity:
            if not value.is_inference():
                self._watch(self.snapshot.tensors, index, value)
            if value.device.type != "cpu":
                self._hazard(index, f"a tensor on {value.device}")
            where = (or_none(value.data_ptr), or_none(lambda: value._version))
        parts = vars(value).items() if getattr(value, "__dict__", None) else ()
        return (where, str(value.dtype), str(value.layout), or_none(lambda: tuple(value.shape)), or_none(lambda: self._bytes_of(value))), parts

    def _bytes_of(self, tensor: torch.Tensor) -> Any:
        if tensor.device.type != "cpu":
            return None
        if tensor.layout is not torch.strided or tensor.is_quantized or tensor.is_nested:
            return None if self._with_identity else hash(repr(tensor))
        flat = tensor.detach()
        if flat.is_conj() or flat.is_neg():
            flat = flat.resolve_conj().resolve_neg()
        if not flat.is_contiguous():
            if self._with_identity and flat.numel() * flat.element_size() > WHOLE_BYTES:
                return None
            flat = flat.contiguous()
        rows = flat.shape[0] if flat.dim() else 1
        return self._memory(flat.reshape(-1).view(torch.uint8).numpy(), rows)

    def _numpy(self, value: Any, kind: type, index: int) -> Optional[tuple[Any, Iterable[tuple[Any, Any]]]]:
        numpy = sys.modules.get("numpy")
        if numpy is None:
            return None
        if issubclass(kind, numpy.generic):
            return (str(value.dtype), value.tobytes()), ()
        if not issubclass(kind, numpy.ndarray):
            return None
        where = value.__array_interface__["data"][0] if self._with_identity else None
        token = (where, value.dtype.str, value.shape)
        if value.dtype.hasobject:
            self._watch(self.snapshot.containers, index, value)
            flat = value.reshape(-1) if value.flags.c_contiguous else value.flatten()
            self._watch(self.snapshot.sampled, index, value)
            positions = range(flat.size) if flat.size <= WHOLE or not self._with_identity else self._sample(flat.size)
            return token, [(position, flat[position]) for position in positions]
        if self._with_identity and issubclass(kind, numpy.memmap) and not value.flags.writeable:
            return token, ()  # sampling a mapped file would read from storage
        if value.nbytes > WHOLE_BYTES and value.flags.writeable:
            self._watch(self.snapshot.sampled, index, value)
        if not value.flags.c_contiguous:
            if self._with_identity and value.nbytes > WHOLE_BYTES:
                value = value[: WHOLE]
            value = numpy.ascontiguousarray(value)
        if value.nbytes <= WHOLE_BYTES:
            self._watch(self.snapshot.arrays, index, value)
        rows = value.shape[0] if value.ndim else 1
        return (*token, self._memory(numpy.ndarray.reshape(value, -1).view(numpy.uint8), rows)), ()

    def _memory(self, flat: Any, rows: int) -> Any:
        most = WHOLE_BYTES if self._with_identity else _WHOLE_CONTENT_BYTES
        size = len(flat)
        if size <= most:
            return hash(flat.tobytes())
        row = max(1, size // max(1, rows))
        if self._with_identity:
            positions = [position * row for position in self._touched if 0 <= position < rows]
            blocks = [flat[position : position + _ROW_BYTES].tobytes() for position in (0, size - _ROW_BYTES, *positions)]
            return hash((*blocks, flat[:: max(1, size // 512)].tobytes()))
        stride = max(_ROW_BYTES, min(row // 4, size // (most // _ROW_BYTES)))  # at least four blocks of each row
        blocks = flat[: size // stride * stride].reshape(-1, stride)[:, :_ROW_BYTES]
        return hash((blocks.tobytes(), flat[-_ROW_BYTES:].tobytes()))

    def _buffer(self, value: Any, index: int) -> tuple[Any, Iterable[tuple[Any, Any]]]:
        """Hashes bytes, bytearray, array.array, mmap and memoryview without a copy."""
        try:
            flat = memoryview(value).cast("B")
        except (TypeError, ValueError):
            return id(value) if self._with_identity else None, ()
        size = len(flat)
        if size <= WHOLE_BYTES and not isinstance(value, bytes) and not _is_truncated(value):
            self._watch(self.snapshot.arrays, index, value)
        elif not flat.readonly:
            self._watch(self.snapshot.sampled, index, value)
        if size <= WHOLE_BYTES or not self._with_identity:
            return (size, hash(bytes(flat))), ()
        ends = bytes(flat[:_ROW_BYTES]), bytes(flat[-_ROW_BYTES:])
        return (size, hash((*ends, bytes(flat[:: size // 512])))), ()


def _is_truncated(value: Any) -> bool:
    """Whether a mapped file has become shorter, so that reading it would end the process."""
    try:
        return isinstance(value, mmap.mmap) and value.size() < len(value)
    except (OSError, ValueError):  # the mapping is anonymous
        return False


def or_none(ask: Callable[[], Any]) -> Any:
    """The result, or None if it raises, as for tensors without storage."""
    try:
        return ask()
    except Exception:
        return None
