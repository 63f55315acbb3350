# SPDX-License-Identifier: Apache-2.0
"""Chunks of litdata (Lightning), read by its StreamingDataset. Package: litdata."""
from __future__ import annotations

from collections.abc import Iterator

import litdata

from .images import Encoded, ImagesInOrder, Transform


class _Chunks:
    def __init__(self, path: str, shuffle: bool, seed: int) -> None:
        self._samples = litdata.StreamingDataset(path, shuffle=shuffle, seed=seed)

    def __iter__(self) -> Iterator[Encoded]:
        return (Encoded(sample["image"], int(sample["label"])) for sample in self._samples)


def open(path: str, shuffle: bool = False, seed: int = 42, transform: Transform = None) -> ImagesInOrder:  # noqa: A001
    """`path`: a folder that litdata.optimize() wrote from samples {"image": bytes, "label": int}."""
    return ImagesInOrder(_Chunks(path, shuffle, seed), transform)
