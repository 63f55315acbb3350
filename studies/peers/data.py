# SPDX-License-Identifier: Apache-2.0
"""The datasets: made once by feedrate, converted once into every format that a contestant reads, kept warm."""
from __future__ import annotations

import os
import shutil
import struct
import subprocess
from collections.abc import Callable, Sequence
from pathlib import Path

from .machine import LOADERS, Python, which_has

SHARD_BYTES = 16 << 20  # so that each of four workers has shards of its own
RECORDS_OF_LIMITS = 2000  # so many `feedrate limits CONFIG` reads, again and again
FFCV = ("ffcv", "torchvision", "PIL")

# By what it is made of; `feedrate data make` or `convert` and their options, or FFCV's writer and its mode.
RECIPES: dict[str, tuple[str, Sequence[str]]] = {
    "jpeg": ("", ["--preset", "imagenet-like", "--size", "500x375"]),
    "jpeg.lmdb": ("jpeg", ["--no-decode-check"]),
    "jpeg.h5": ("jpeg", ["--format", "hdf5", "--no-decode-check"]),
    "jpeg-shards": ("jpeg", ["--format", "tar", "--shard-bytes", str(SHARD_BYTES), "--no-decode-check"]),
    "jpeg.beton": ("jpeg", ["jpg"]),
    "png": ("", ["--preset", "cifar10-like"]),
    "png.tar": ("png", ["--no-decode-check"]),
    "png.lmdb": ("png", ["--no-decode-check"]),
    "pixels.h5": ("png", ["--format", "hdf5-decoded"]),
    "pixels-contiguous.h5": ("png", ["--format", "hdf5-contiguous"]),
    "pixels.beton": ("png", ["raw"]),
}


class Failed(Exception):
    """A contestant cannot be measured; the message says why."""


class Shelf:
    """`root` as the programs see it that run in `home`. One thread."""

    def __init__(self, feedrate: str, home: Path, root: Path, counts: dict[str, int], say: Callable[[str], None]) -> None:
        self._feedrate = feedrate
        self._home = home
        self._root = root
        self._counts = counts
        self._say = say

    def path(self, name: str) -> str:
        """Relative, so that nobody's home folder stands in a result."""
        return os.path.relpath(self._place(name), self._home)

    def records(self, name: str) -> int:
        return self._counts["jpeg" if name.startswith("jpeg") else "png"]

    def require(self, name: str, pythons: Sequence[Python]) -> None:
        target = self._place(name)
        if target.exists():
            return
        source, options = RECIPES[name]
        if source:
            self.require(source, pythons)
        self._say(f"{target}: is made")
        self._root.mkdir(parents=True, exist_ok=True)
        if name.endswith(".beton"):
            python = which_has(pythons, FFCV)
            assert python, "who reads it has been looked for"
            self._run([python.path, LOADERS / "ffcv_write.py", self._place(source), target, *options])
        elif source:
            self._run([self._feedrate, "data", "convert", self._place(source), target, *options])
        else:
            self._run([self._feedrate, "data", "make", target, "--count", self.records(name), *options])

    def warm(self, names: Sequence[str]) -> None:
        for name in names:
            for file in self._files(name):
                with open(file, "rb", buffering=0) as opened:
                    while opened.read(1 << 20):
                        pass

    def bytes(self, name: str) -> int:
        return sum(file.stat().st_size for file in self._files(name))

    def places(self, name: str) -> str:
        """Where a raw reader finds the records that `feedrate limits` reads: a line each, offset and size. Of LMDB, whose own
        places nobody tells, so many bytes in a row."""
        if name.endswith(".h5"):
            size = 32 * 32 * 3
            return "".join(f"{i * size} {size}\n" for i in range(min(self.records(name), RECORDS_OF_LIMITS)))
        places = self._tar_places()
        if name.endswith(".lmdb"):
            offset, row = 0, []
            for _, size in places:
                row.append((offset, size))
                offset += size
            places = row
        return "".join(f"{offset} {size}\n" for offset, size in places)

    def file(self, name: str) -> str:
        """The one that holds the records."""
        return self.path(name) + ("/data.mdb" if name.endswith(".lmdb") else "")

    def _tar_places(self) -> list[tuple[int, int]]:
        """From the index beside the shard, which feedrate leaves there; docs/formats.md has its layout."""
        tar = self._place("png.tar")
        index = tar.with_name(tar.name + ".idx")
        if not index.exists():
            self._run([self._feedrate, "data", "info", tar, "--sample", "1"])
        content, places, at = index.read_bytes(), [], 40
        (count,) = struct.unpack_from("<Q", content, 32)
        for _ in range(min(count, RECORDS_OF_LIMITS)):
            offset, size, _, length = struct.unpack_from("<QQqI", content, at)
            places.append((offset, size))
            at += 28 + length
        return places

    def _place(self, name: str) -> Path:
        """By its size, too: another study in the same folder may want another one."""
        return self._root / f"{self.records(name)}-{name}"

    def _files(self, name: str) -> list[Path]:
        path = self._place(name)
        return [path] if path.is_file() else [file for file in path.rglob("*") if file.is_file()]

    def _run(self, words: Sequence[object]) -> None:
        done = subprocess.run([str(word) for word in words], capture_output=True, text=True)
        if done.returncode != 0:
            raise Failed(f"{' '.join(map(str, words))}: exit {done.returncode}: {done.stderr.strip()}; {_room(self._root)}")


def _room(folder: Path) -> str:
    return f"{folder}: {shutil.disk_usage(folder).free / 1e9:.1f} GB are free"
