# SPDX-License-Identifier: Apache-2.0
"""Programs that each measure one limit, to compare with `feedrate limits`: fio, tjbench, and loops of pread() and memcpy() in C."""
from __future__ import annotations

import contextlib
import json
import os
import re
import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Optional

from .tools import Failed, Tools, why_not

FILE_BYTES = 256 << 20  # the same size as in `feedrate limits`
PIECE = 1 << 20
PICTURE = "0000000.jpg"  # the first of a dataset, which `feedrate limits` uses, too


def _which(program: str, package: str) -> str:
    return "" if shutil.which(program) else f"{program} is not installed; apt install {package}"


@contextlib.contextmanager
def new_file(path: Path, size: int) -> Iterator[Path]:
    """Writes a file, drops it from the page cache and reads it in order, like `feedrate limits`: how it got into the page cache changes
    the time to read it by up to half. It is new each time, because its layout in memory is random, too."""
    try:
        with path.open("wb", buffering=0) as file:
            for _ in range(0, size, PIECE):
                file.write(os.urandom(PIECE))
            os.fsync(file.fileno())
        with path.open("rb", buffering=0) as file:
            os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)
            while file.read(PIECE):
                pass
        yield path
    finally:
        path.unlink(missing_ok=True)


@dataclass(frozen=True)
class Fio:
    """Reads blocks. Each thread reads its own part of a cold file, which fio drops from the page cache when it starts, and each block
    once."""

    order: str
    block: int
    jobs: int
    cold: bool

    def why_not(self, tools: Tools) -> str:
        return _which("fio", "fio")

    def measure(self, tools: Tools, name: str, seconds: float, guess: Optional[float]) -> float:
        """Minimizes fio's overhead: no clock around each read, and no map of the blocks if they are read repeatedly."""
        words = [
            "fio", "--name=limits", "--filename=fio.file", f"--rw={self.order}", f"--bs={self.block}", "--ioengine=psync",
            f"--numjobs={self.jobs}", "--thread", "--group_reporting", "--randrepeat=0", "--gtod_reduce=1", "--iomem_align=4096",
            "--output-format=json",
        ]  # fmt: skip
        if self.cold:
            part = FILE_BYTES // self.jobs
            words += ["--invalidate=1", f"--size={part}", f"--offset_increment={part}"]
        else:
            words += ["--invalidate=0", f"--size={FILE_BYTES}", "--norandommap", "--time_based", f"--runtime={seconds:g}"]
        with new_file(tools.home / "fio.file", FILE_BYTES):
            return bytes_per_second(tools.run(words))


def bytes_per_second(out: str) -> float:
    try:
        return float(json.loads(out[out.index("{") :])["jobs"][0]["read"]["bw_bytes"])
    except (ValueError, KeyError, IndexError, TypeError):
        raise Failed(f"fio: {out.strip()[-300:] or 'it printed nothing'}") from None


@dataclass(frozen=True)
class ReadLoop:
    """pread() of blocks from the page cache, in C: the same reads as by fio and feedrate, without their overhead."""

    order: str
    block: int

    def why_not(self, tools: Tools) -> str:
        return why_not(lambda: tools.compile("raw_pread.c"))

    def measure(self, tools: Tools, name: str, seconds: float, guess: Optional[float]) -> float:
        with new_file(tools.home / "pread.file", FILE_BYTES) as file:
            words = [str(tools.compile("raw_pread.c")), self.order, str(file), str(self.block), f"{seconds:g}"]
            return float(json.loads(tools.run(words))["value"])


@dataclass(frozen=True)
class TjBench:
    """Decodes a whole JPEG image to RGB repeatedly, by libjpeg-turbo's own benchmark."""

    data: str

    def why_not(self, tools: Tools) -> str:
        return _which("tjbench", "libjpeg-turbo-progs")

    def measure(self, tools: Tools, name: str, seconds: float, guess: Optional[float]) -> float:
        picture = next((tools.home / tools.datasets.path(self.data)).rglob(PICTURE), None)
        if picture is None:
            raise Failed(f"{self.data}: has no {PICTURE}")
        words = ["tjbench", str(picture), "-rgb", "-nowrite", "-benchtime", f"{seconds:g}", "-warmup", "0.1"]
        return images_per_second(tools.run(words))


def images_per_second(out: str) -> float:
    found = re.findall(r"Frame rate:\s+([0-9.]+) fps", out)
    if not found:
        raise Failed(f"tjbench: {out.strip()[-300:] or 'it printed nothing'}")
    return float(found[-1])


@dataclass(frozen=True)
class CopyLoop:
    threads: int

    def why_not(self, tools: Tools) -> str:
        return why_not(lambda: tools.compile("raw_copy.c"))

    def measure(self, tools: Tools, name: str, seconds: float, guess: Optional[float]) -> float:
        words = [str(tools.compile("raw_copy.c")), str(FILE_BYTES), str(self.threads), f"{seconds:g}"]
        return float(json.loads(tools.run(words))["value"])
