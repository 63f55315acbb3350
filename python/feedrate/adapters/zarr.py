# SPDX-License-Identifier: Apache-2.0
"""Zarr: pixels of images of one size, chunked along the samples. Package: zarr."""
from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy
import torch
import zarr

from ..own_modules import named
from .images import Transform


class Arrays(torch.utils.data.Dataset):
    """Map-style. A batch reads each chunk once, however many of its samples it needs."""

    def __init__(self, path: str, image: str, label: str, transform: Transform) -> None:
        group = zarr.open_group(path, mode="r")
        self._images, self._labels = group[image], group[label][:]
        self._transform = named(transform, "transform") if isinstance(transform, str) else transform

    def __len__(self) -> int:
        return int(self._images.shape[0])

    def __getitem__(self, index: int) -> tuple[Any, int]:
        return self.__getitems__([index])[0]

    def __getitems__(self, indices: Sequence[int]) -> list[tuple[Any, int]]:
        images = torch.from_numpy(self._images.oindex[numpy.asarray(indices)]).permute(0, 3, 1, 2)
        samples = images if self._transform is None else map(self._transform, images)
        return [(sample, int(self._labels[index])) for sample, index in zip(samples, indices)]


def open(path: str, image: str = "image", label: str = "label", transform: Transform = None) -> Arrays:  # noqa: A001
    """`path`: a group of two arrays, N×H×W×C of bytes and N labels. `transform` takes a tensor C×H×W."""
    return Arrays(path, image, label, transform)
