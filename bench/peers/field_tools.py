"""Programs that measure one limit and nothing else, to hold `feedrate limits` against: fio, tjbench, a loop of memcpy()."""
from __future__ import annotations

import json
import re
import shutil
from dataclasses import dataclass
from pathlib import Path
from typing import Optional

from .tools import Failed, Tools

FILE_BYTES = 256 << 20  # as `feedrate limits` reads and copies
PICTURES = 8  # the time of one picture differs from that of another


def _which(program: str, package: str) -> str:
    return "" if shutil.which(program) else f"{program} is not installed; apt install {package}"


@dataclass(frozen=True)
class Fio:
    """Reads of so many bytes. Cold ones go around the page cache, since fio empties it but once, at its start."""

    order: str  # read, randread
    block: int
    jobs: int
    cold: bool

    def why_not(self, tools: Tools) -> str:
        return _which("fio", "fio")

    def measure(self, tools: Tools, name: str, seconds: float, guess: Optional[float]) -> float:
        words = [
            "fio", "--name=limits", "--filename=fio.file", f"--size={FILE_BYTES}", f"--rw={self.order}", f"--bs={self.block}",
            "--ioengine=psync", f"--numjobs={self.jobs}", "--thread", "--group_reporting", "--time_based", f"--runtime={seconds:g}",
            "--norandommap", "--randrepeat=0", "--output-format=json",
        ]  # fmt: skip
        words += ["--direct=1"] if self.cold else ["--invalidate=0", "--pre_read=1"]
        return bytes_per_second(tools.run(words))


def bytes_per_second(out: str) -> float:
    """Of fio's answer."""
    try:
        return float(json.loads(out[out.index("{") :])["jobs"][0]["read"]["bw_bytes"])
    except (ValueError, KeyError, IndexError, TypeError):
        raise Failed(f"fio: {out.strip()[-300:] or 'it said nothing'}") from None


@dataclass(frozen=True)
class TjBench:
    """Whole JPEG images to RGB, as they are, by libjpeg-turbo's own benchmark."""

    data: str

    def why_not(self, tools: Tools) -> str:
        return _which("tjbench", "libjpeg-turbo-progs")

    def measure(self, tools: Tools, name: str, seconds: float, guess: Optional[float]) -> float:
        pictures = sorted((tools.home / tools.shelf.path(self.data)).rglob("*.jpg"))[:PICTURES]
        if not pictures:
            raise Failed(f"{self.data}: holds no .jpg")
        return len(pictures) / sum(1.0 / self._rate(tools, picture, seconds / len(pictures)) for picture in pictures)

    @staticmethod
    def _rate(tools: Tools, picture: Path, seconds: float) -> float:
        return images_per_second(tools.run(["tjbench", str(picture), "-nowrite", "-benchtime", f"{seconds:g}", "-warmup", "0.1"]))


def images_per_second(out: str) -> float:
    """Of tjbench's answer."""
    found = re.findall(r"Frame rate:\s+([0-9.]+) fps", out)
    if not found:
        raise Failed(f"tjbench: {out.strip()[-300:] or 'it said nothing'}")
    return float(found[-1])


@dataclass(frozen=True)
class CopyLoop:
    """memcpy() of FILE_BYTES, each thread its part, in C."""

    threads: int

    def why_not(self, tools: Tools) -> str:
        try:
            tools.compile("raw_copy.c")
        except Failed as failure:
            return str(failure)
        return ""

    def measure(self, tools: Tools, name: str, seconds: float, guess: Optional[float]) -> float:
        words = [str(tools.compile("raw_copy.c")), str(FILE_BYTES), str(self.threads), f"{seconds:g}"]
        return float(json.loads(tools.run(words))["value"])
