# SPDX-License-Identifier: Apache-2.0
"""MosaicML's MDS shards, read by its StreamingDataset. Package: mosaicml-streaming."""
from __future__ import annotations

from collections.abc import Iterable, Iterator

import streaming

from .images import Encoded, ImagesInOrder, Transform


class _Shards:
    def __init__(self, path: str, batch_size: int, shuffle: bool, seed: int) -> None:
        self._samples = streaming.StreamingDataset(local=path, batch_size=batch_size, shuffle=shuffle, shuffle_seed=seed)

    def __iter__(self) -> Iterator[Encoded]:
        return (Encoded(sample["image"], int(sample["label"])) for sample in self._samples)


def open(  # noqa: A001
    path: str, batch_size: int = 1, shuffle: bool = False, seed: int = 9176, transform: Transform = None
) -> ImagesInOrder:
    """`batch_size` must equal DataLoader's: StreamingDataset uses it to divide samples among workers."""
    return ImagesInOrder(_Shards(path, batch_size, shuffle, seed), transform)


def write(samples: Iterable[Encoded], path: str, size_limit: int = 1 << 26) -> None:
    with streaming.MDSWriter(out=path, columns={"image": "bytes", "label": "int"}, size_limit=size_limit) as writer:
        for sample in samples:
            writer.write({"image": sample.data, "label": sample.label})
