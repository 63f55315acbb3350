# SPDX-License-Identifier: Apache-2.0
"""Stored bytes of records, truncated or zero-padded to one size, as make_bytes_pipeline() does in C++."""
from __future__ import annotations

from typing import Any, Optional

import torch

from .loading import Workload
from .records import Source, open_source


class ByteRecords(torch.utils.data.Dataset):
    def __init__(self, source: Source, size: int) -> None:
        self._source = source
        self._size = size

    def __len__(self) -> int:
        return len(self._source)

    def __getitem__(self, index: int) -> tuple[torch.Tensor, int]:
        data, label = self._source.read(index)
        first = first_bytes(data, self._size)
        sample = torch.zeros(self._size, dtype=torch.uint8)
        sample[: len(first)] = first
        return sample, label


def first_bytes(data: Any, size: Optional[int] = None) -> torch.Tensor:
    """The first `size` bytes of a record that Source.read() returned; all bytes without `size`."""
    if not hasattr(data, "read"):
        return torch.from_numpy(data.ravel(order="K").view("uint8")[:size])
    with data:
        content = bytearray(data.read()[:size])  # reads all of it, as the native engine does
    return torch.frombuffer(content, dtype=torch.uint8) if content else torch.empty(0, dtype=torch.uint8)


def open_bytes(job: dict[str, Any]) -> Workload:
    return Workload(ByteRecords(open_source(job["path"], job["format"]), job["resize_bytes"]))
