# SPDX-License-Identifier: Apache-2.0
"""Parquet, read by whole row groups, because pyarrow reads adjacent rows fast. Package: pyarrow."""
from __future__ import annotations

import itertools
import random
from collections.abc import Iterable, Iterator
from pathlib import Path

import pyarrow
import pyarrow.parquet

from .images import Encoded, ImagesInOrder, Transform, share, warn_of_idle_workers


class _RowGroups:
    def __init__(self, path: str, image: str, label: str, shuffle: bool) -> None:
        files = sorted(map(str, Path(path).glob("**/*.parquet"))) if Path(path).is_dir() else [path]
        self._groups = [(file, group) for file in files for group in range(pyarrow.parquet.read_metadata(file).num_row_groups)]
        self._path, self._image, self._label = path, image, label
        self._shuffle, self._epoch = shuffle, 0

    def __iter__(self) -> Iterator[Encoded]:
        worker, workers, seed = share()
        warn_of_idle_workers(self._path, len(self._groups), "row groups")
        order = random.Random(seed + self._epoch)
        self._epoch += 1
        groups = order.sample(self._groups, k=len(self._groups)) if self._shuffle else self._groups
        for file, group in groups[worker::workers]:
            columns = pyarrow.parquet.ParquetFile(file).read_row_group(group, columns=[self._image, self._label])
            rows = [Encoded(data, label) for data, label in zip(_bytes(columns[self._image]), columns[self._label].to_pylist())]
            yield from order.sample(rows, k=len(rows)) if self._shuffle else rows


def _bytes(column: pyarrow.ChunkedArray) -> list[bytes]:
    """The values of a binary column, or of a Hugging Face column of {"bytes", "path"}."""
    values = column.to_pylist()
    return [value["bytes"] if isinstance(value, dict) else value for value in values]


def open(  # noqa: A001
    path: str, image: str = "image", label: str = "label", shuffle: bool = False, transform: Transform = None
) -> ImagesInOrder:
    """`path`: a file or a folder of files. Workers share the row groups; `shuffle` shuffles the groups, and the rows within each."""
    return ImagesInOrder(_RowGroups(path, image, label, shuffle), transform)


def write(samples: Iterable[Encoded], path: str, row_group: int = 256, compression: str = "none") -> None:
    schema = pyarrow.schema([("image", pyarrow.binary()), ("label", pyarrow.int64())])
    rows = iter(samples)
    with pyarrow.parquet.ParquetWriter(path, schema, compression=compression) as writer:
        while group := list(itertools.islice(rows, row_group)):
            images, labels = zip(*group)
            writer.write_table(pyarrow.table([list(images), list(labels)], schema=schema), row_group_size=row_group)
