# SPDX-License-Identifier: Apache-2.0
"""The datasets: feedrate makes each once, converts it into every format that a contestant reads, and keeps it in the page cache."""
from __future__ import annotations

import os
import shutil
import struct
import subprocess
from collections.abc import Callable, Sequence
from pathlib import Path

from .machine import LOADERS, Python, which_has

SHARD_BYTES = 16 << 20  # each of four workers gets shards of its own
RECORDS_OF_LIMITS = 2000  # `feedrate limits CONFIG` reads so many, repeatedly
FFCV = ("ffcv", "torchvision", "PIL")

# name -> (the dataset it is made of, options of `feedrate data make` or `convert`, or the mode of FFCV's writer).
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
    """A contestant cannot be measured; the message states why."""


class Datasets:
    """The datasets in `root`, for programs that run in `home`. One thread."""

    def __init__(self, feedrate: str, home: Path, root: Path, counts: dict[str, int], log: Callable[[str], None]) -> None:
        self._feedrate = feedrate
        self._home = home
        self._root = root
        self._counts = counts
        self._log = log

    def path(self, name: str) -> str:
        """A relative path, so that no user's home folder appears in a result."""
        return os.path.relpath(self._target(name), self._home)

    def records(self, name: str) -> int:
        return self._counts["jpeg" if name.startswith("jpeg") else "png"]

    def require(self, name: str, pythons: Sequence[Python]) -> None:
        target = self._target(name)
        if target.exists():
            return
        source, options = RECIPES[name]
        if source:
            self.require(source, pythons)
        self._log(f"{target}: is made")
        self._root.mkdir(parents=True, exist_ok=True)
        if name.endswith(".beton"):
            python = which_has(pythons, FFCV)
            assert python, "who reads it has been looked for"
            self._run([python.path, LOADERS / "ffcv_write.py", self._target(source), target, *options])
        elif source:
            self._run([self._feedrate, "data", "convert", self._target(source), target, *options])
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

    def record_offsets(self, name: str) -> str:
        """The records that `feedrate limits` reads, for a raw reader: a line per record, offset and size. For LMDB, whose offsets are
        unknown, as many bytes in consecutive records."""
        if name.endswith(".h5"):
            size = 32 * 32 * 3
            return "".join(f"{i * size} {size}\n" for i in range(min(self.records(name), RECORDS_OF_LIMITS)))
        offsets = self._tar_offsets()
        if name.endswith(".lmdb"):
            offset, row = 0, []
            for _, size in offsets:
                row.append((offset, size))
                offset += size
            offsets = row
        return "".join(f"{offset} {size}\n" for offset, size in offsets)

    def file(self, name: str) -> str:
        """The path of the file that holds the records."""
        return self.path(name) + ("/data.mdb" if name.endswith(".lmdb") else "")

    def _tar_offsets(self) -> list[tuple[int, int]]:
        """Reads the index that feedrate leaves next to the shard; docs/formats.md has its layout."""
        tar = self._target("png.tar")
        index = tar.with_name(tar.name + ".idx")
        if not index.exists():
            self._run([self._feedrate, "data", "info", tar, "--sample", "1"])
        content, offsets, at = index.read_bytes(), [], 40
        (count,) = struct.unpack_from("<Q", content, 32)
        for _ in range(min(count, RECORDS_OF_LIMITS)):
            offset, size, _, length = struct.unpack_from("<QQqI", content, at)
            offsets.append((offset, size))
            at += 28 + length
        return offsets

    def _target(self, name: str) -> Path:
        """The absolute path. It contains the size, because another study in the same folder may use another one."""
        return self._root / f"{self.records(name)}-{name}"

    def _files(self, name: str) -> list[Path]:
        path = self._target(name)
        return [path] if path.is_file() else [file for file in path.rglob("*") if file.is_file()]

    def _run(self, words: Sequence[object]) -> None:
        done = subprocess.run([str(word) for word in words], capture_output=True, text=True)
        if done.returncode != 0:
            raise Failed(f"{' '.join(map(str, words))}: exit {done.returncode}: {done.stderr.strip()}; {_free_space(self._root)}")


def _free_space(folder: Path) -> str:
    return f"{folder}: {shutil.disk_usage(folder).free / 1e9:.1f} GB are free"
