# SPDX-License-Identifier: Apache-2.0
"""Tokens in one flat file, as nanoGPT writes them, read by numpy.memmap. Package: numpy."""
from __future__ import annotations

import os
from typing import Any

import numpy
import torch


class Windows(torch.utils.data.Dataset):
    """Map-style: (tokens, the tokens one position later), int64, at every `length`-th position. Each process maps the file itself."""

    def __init__(self, path: str, length: int, dtype: str) -> None:
        self._path, self._length, self._dtype = path, length, numpy.dtype(dtype)
        self._tokens: Any = None
        self._count: int = (os.path.getsize(path) // self._dtype.itemsize - 1) // length

    def __len__(self) -> int:
        return self._count

    def __getitem__(self, index: int) -> tuple[torch.Tensor, torch.Tensor]:
        if self._tokens is None:
            self._tokens = numpy.memmap(self._path, dtype=self._dtype, mode="r")
        begin = index * self._length
        window = torch.from_numpy(self._tokens[begin : begin + self._length + 1].astype(numpy.int64))
        return window[:-1], window[1:]

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_tokens": None}


def open(path: str, length: int = 1024, dtype: str = "uint16") -> Windows:  # noqa: A001
    return Windows(path, length, dtype)
