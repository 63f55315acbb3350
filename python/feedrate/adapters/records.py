# SPDX-License-Identifier: Apache-2.0
"""Datasets in feedrate's formats: a folder, tar, LMDB, HDF5, TFRecord, ZIP."""
from __future__ import annotations

from collections.abc import Sequence

from ..failures import Mistake
from ..records import open_source
from .images import Encoded, ImagesByIndex, Transform


class Records:
    def __init__(self, path: str, format_name: str) -> None:
        self._source = open_source(path, format_name)

    def __len__(self) -> int:
        return len(self._source)

    def read(self, indices: Sequence[int]) -> list[Encoded]:
        return [self._read(index) for index in indices]

    def name(self, index: int) -> str:
        """Names a record in messages."""
        return self._source.name(index)

    def _read(self, index: int) -> Encoded:
        data, label = self._source.read(index)
        if not hasattr(data, "read"):
            raise Mistake(f"{self._source.name(index)}: holds pixels; this takes formats of image files: folder, tar, lmdb, hdf5, tfrecord, zip")
        with data:
            return Encoded(data.read(), label)


def open(path: str, format: str = "folder", transform: Transform = None) -> ImagesByIndex:  # noqa: A001
    return ImagesByIndex(Records(path, format), transform)
