# SPDX-License-Identifier: Apache-2.0
"""TFRecord files of tf.train.Example, read in random order without TensorFlow; docs/formats.md has the layout.

It does not verify checksums, like other readers for PyTorch: Python has no fast CRC-32C.
"""
from __future__ import annotations

import io
import os
import re
from typing import Any, Iterator, Union

_NAME = re.compile(r"\.tfrecords?$|-\d{5}-of-\d{5}$")
_MAX_OPEN_FILES = 256  # ImageNet has 1024 files, and the default limit is 1024 descriptors
_LABELS = (b"image/class/label", b"label", b"labels", b"target", b"class")
_HEADER, _FOOTER = 12, 4
_NO_LABEL = -1

Value = Union[int, bytes, memoryview]


class TfrecordSource:
    """One file or a folder of shards, read by the index that feedrate, DALI and the package tfrecord keep next to each."""

    def __init__(self, path: str) -> None:
        files = [path]
        if os.path.isdir(path):
            files = [os.path.join(path, name) for name in sorted(os.listdir(path)) if _NAME.search(name)]
        self._frames = [(file, offset, size) for file in files for offset, size in _index(file)]
        self._open: dict[str, io.FileIO] = {}

    def __len__(self) -> int:
        return len(self._frames)

    def read(self, index: int) -> tuple[Any, int]:
        file, offset, size = self._frames[index]
        record = os.pread(self._descriptor(file), size - _HEADER - _FOOTER, offset + _HEADER)
        image, label = _parse_example(memoryview(record))
        if image is None:
            raise ValueError(f"{self.name(index)}: the Example has no image")
        return io.BytesIO(image), label

    def name(self, index: int) -> str:
        file, offset, _ = self._frames[index]
        return f"{file}: record at byte {offset}"

    def _descriptor(self, file: str) -> int:
        if file not in self._open:  # pread() leaves the offset alone, so a fork may share the descriptor
            if len(self._open) >= _MAX_OPEN_FILES:
                self._open.popitem()[1].close()
            self._open[file] = open(file, "rb", buffering=0)
        return self._open[file].fileno()

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_open": {}}


def _index(file: str) -> list[tuple[int, int]]:
    """(offset, size) of each frame: from the index, if it is newer than the file and its frames fill the file; else by walking."""
    status = os.stat(file)
    try:
        with open(file + ".idx") as lines:
            frames = [(int(offset), int(size)) for offset, size in map(str.split, lines)]
        ends = [0, *(offset + size for offset, size in frames)]
        fills = all(offset == end for (offset, _), end in zip(frames, ends)) and ends[-1] == status.st_size
        if fills and os.stat(file + ".idx").st_mtime_ns >= status.st_mtime_ns:
            return frames
    except (OSError, ValueError):
        pass
    return list(_walk(file, status.st_size))


def _walk(file: str, file_size: int) -> Iterator[tuple[int, int]]:
    at = 0
    with open(file, "rb") as content:
        while at < file_size:
            content.seek(at)
            header = content.read(_HEADER)
            size = _HEADER + int.from_bytes(header[:8], "little") + _FOOTER
            if size > file_size - at:
                raise ValueError(f"{file}: byte {at}: a record does not fit in the file; it is truncated, or not a TFRecord file")
            yield at, size
            at += size


def _parse_example(example: memoryview) -> tuple[Any, int]:
    """Returns the image ("image/encoded", or the first value with an image's magic bytes, or DLIO's "image") and the label."""
    values = dict(_first_values(example))
    labels = (values.get(name) for name in _LABELS)
    label = next((value for value in labels if isinstance(value, int)), _NO_LABEL)
    image: Any = values.get(b"image/encoded")
    if image is None:
        image = next((value for value in values.values() if _is_image(value)), None)
    if image is None and not isinstance(values.get(b"image"), int):
        image = values.get(b"image")
    return image, label


def _is_image(value: Value) -> bool:
    return not isinstance(value, int) and bytes(value[:4]).startswith((b"\xff\xd8\xff", b"\x89PNG"))


def _first_values(example: memoryview) -> Iterator[tuple[bytes, Value]]:
    """Name and first value of each feature, except floats: Example.features.feature[name].kind.value[0]."""
    for _, features in _fields(example):
        for _, entry in _fields(features):
            parts = dict(_fields(entry))
            name = bytes(parts.get(1, b""))
            for kind, values in _fields(parts.get(2, b"")):
                first = next((value for _, value in _fields(values)), None)
                if kind == 1 and first is not None:
                    yield name, first
                elif kind == 3 and first is not None:
                    number = first if isinstance(first, int) else _varint(first, 0)[0]
                    yield name, number - (1 << 64) if number >> 63 else number


def _fields(message: Any) -> Iterator[tuple[int, Any]]:
    """Number and value of each field of a Protocol Buffers message that is a varint or bytes."""
    at = 0
    while at < len(message):
        tag, at = _varint(message, at)
        number, kind = tag >> 3, tag & 7
        if kind == 0:
            value, at = _varint(message, at)
            yield number, value
        elif kind == 2:
            length, at = _varint(message, at)
            yield number, message[at : at + length]
            at += length
        elif kind in (1, 5):
            at += 8 if kind == 1 else 4
        else:
            raise ValueError("a record is not a tf.train.Example")


def _varint(message: Any, at: int) -> tuple[int, int]:
    value = shift = 0
    while True:
        byte = message[at]
        at += 1
        value |= (byte & 127) << shift
        if byte < 128:
            return value, at
        shift += 7
