# SPDX-License-Identifier: Apache-2.0
"""WebDataset: tar files, read sequentially. Package: webdataset."""
from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import webdataset
from webdataset.shardlists import expand_urls

from .images import Encoded, ImagesInOrder, Transform, warn_of_idle_workers


class _Tars:
    def __init__(self, path: str, image: str, label: str, shuffle: int, seed: int) -> None:
        self._path = path
        self._tars = sorted(map(str, Path(path).glob("*.tar"))) if Path(path).is_dir() else expand_urls(path)
        self._samples = webdataset.WebDataset(self._tars, shardshuffle=len(self._tars) if shuffle else False, seed=seed,
                                              empty_check=False, nodesplitter=webdataset.split_by_node)
        if shuffle:
            self._samples = self._samples.shuffle(shuffle)
        self._samples = self._samples.to_tuple(image, label)

    def __iter__(self) -> Iterator[Encoded]:
        warn_of_idle_workers(self._path, len(self._tars), "tar files")
        return (Encoded(data, int(label)) for data, label in self._samples)


def open(  # noqa: A001
    path: str, image: str = "jpg;jpeg;png", label: str = "cls", shuffle: int = 0, seed: int = 0, transform: Transform = None
) -> ImagesInOrder:
    """`path`: a folder of tar files, or an argument of webdataset such as "train-{0000..0099}.tar". Workers share the files.
    `shuffle`: the size of the shuffle buffer in samples; 0 keeps the order."""
    return ImagesInOrder(_Tars(path, image, label, shuffle, seed), transform)
