# SPDX-License-Identifier: Apache-2.0
"""Hugging Face datasets: Arrow files, map-style or streamed. Package: datasets."""
from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Optional, Union

import datasets
import fsspec

from .images import Encoded, ImagesByIndex, ImagesInOrder, Transform


class _Rows:
    def __init__(self, rows: Any, image: str, label: str) -> None:
        self.rows, self.image, self.label = rows, image, label

    def __len__(self) -> int:
        return len(self.rows)

    def read(self, indices: Sequence[int]) -> list[Encoded]:
        columns = self.rows[list(indices)]
        return [Encoded(_data(image), int(label)) for image, label in zip(columns[self.image], columns[self.label])]

    def __iter__(self) -> Iterator[Encoded]:
        return (Encoded(_data(row[self.image]), int(row[self.label])) for row in self.rows)


def _data(image: dict[str, Any]) -> bytes:
    """The bytes of the image file: those in the row, or those of the file that the row names (imagefolder datasets)."""
    data: Optional[bytes] = image["bytes"]
    if data is not None:
        return data
    with fsspec.open(image["path"], "rb") as file:
        content: bytes = file.read()
    return content


def open(  # noqa: A001
    path: str,
    split: str = "train",
    image: str = "image",
    label: str = "label",
    streaming: bool = False,
    shards: int = 16,
    transform: Transform = None,
) -> Union[ImagesByIndex, ImagesInOrder]:
    """`path`: the folder that save_to_disk() wrote, or an argument of load_dataset(). `image`: the column of image files. With
    `streaming`, workers share `shards` shards of a save_to_disk() folder, or the files of any other dataset."""
    is_saved = (Path(path) / "dataset_info.json").exists() or (Path(path) / "dataset_dict.json").exists()
    rows = datasets.load_from_disk(path) if is_saved else datasets.load_dataset(path, split=split, streaming=streaming)
    if isinstance(rows, datasets.DatasetDict):
        rows = rows[split]
    rows = rows.cast_column(image, datasets.Image(decode=False)).select_columns([image, label])
    if streaming:
        if isinstance(rows, datasets.Dataset):
            rows = rows.to_iterable_dataset(num_shards=min(shards, len(rows)))
        return ImagesInOrder(_Rows(rows, image, label), transform)
    return ImagesByIndex(_Rows(rows, image, label), transform)

