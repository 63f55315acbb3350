# SPDX-License-Identifier: Apache-2.0
"""WebDataset: tar files, read from their beginning to their end. Package: webdataset."""
from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import webdataset

from .images import Encoded, ImagesInOrder, Transform


class _Tars:
    def __init__(self, path: str, image: str, label: str, shuffle: int, seed: int) -> None:
        tars = sorted(map(str, Path(path).glob("*.tar"))) if Path(path).is_dir() else path
        self._samples = webdataset.WebDataset(tars, shardshuffle=len(tars) if shuffle and isinstance(tars, list) else False, seed=seed,
                                              empty_check=False, nodesplitter=webdataset.split_by_node)
        if shuffle:
            self._samples = self._samples.shuffle(shuffle)
        self._samples = self._samples.to_tuple(image, label)

    def __iter__(self) -> Iterator[Encoded]:
        return (Encoded(data, int(label)) for data, label in self._samples)


def open(  # noqa: A001
    path: str, image: str = "jpg;jpeg;png", label: str = "cls", shuffle: int = 0, seed: int = 0, transform: Transform = None
) -> ImagesInOrder:
    """A folder of tar files, or what webdataset takes, such as "train-{0000..0099}.tar". Workers share the files. `shuffle`: how many
    samples its buffer holds; 0: in their order."""
    return ImagesInOrder(_Tars(path, image, label, shuffle, seed), transform)
