# SPDX-License-Identifier: Apache-2.0
"""Lance datasets, read by index: one take() per batch. Each process opens the dataset, because Lance's threads do not survive a
fork. Package: pylance."""
from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import lance
import pyarrow

from .images import Encoded, ImagesByIndex, Transform


class _Rows:
    def __init__(self, path: str, image: str, label: str) -> None:
        self._path, self._columns = path, [image, label]
        self._process = -1
        self._dataset: Any = None
        self._size: int = lance.dataset(path).count_rows()

    def __len__(self) -> int:
        return self._size

    def read(self, indices: Sequence[int]) -> list[Encoded]:
        if self._process != os.getpid():
            self._dataset, self._process = lance.dataset(self._path), os.getpid()
        images, labels = self._dataset.take(list(indices), columns=self._columns).columns
        return [Encoded(data, label) for data, label in zip(images.to_pylist(), labels.to_pylist())]

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_process": -1, "_dataset": None}


def open(path: str, image: str = "image", label: str = "label", transform: Transform = None) -> ImagesByIndex:  # noqa: A001
    """A map-style dataset. Lance requires multiprocessing_context spawn or forkserver."""
    return ImagesByIndex(_Rows(path, image, label), transform)


def write(samples: Iterable[Encoded], path: str) -> None:
    schema = pyarrow.schema([("image", pyarrow.binary()), ("label", pyarrow.int64())])

    def batches() -> Iterator[pyarrow.RecordBatch]:
        for sample in samples:
            yield pyarrow.record_batch([[sample.data], [sample.label]], schema=schema)

    lance.write_dataset(pyarrow.RecordBatchReader.from_batches(schema, batches()), path)
