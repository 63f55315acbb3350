# SPDX-License-Identifier: Apache-2.0
"""Clips of video files. Package: torchcodec or av."""
from __future__ import annotations

import importlib
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import torch

from ..failures import Mistake, MissingPackage

_PACKAGES = {"torchcodec": "torchcodec.decoders", "av": "av"}
_SUFFIXES = {".mp4", ".mkv", ".webm", ".mov", ".avi"}


class Clips(torch.utils.data.Dataset):
    """Map-style: (frames T×C×H×W uint8, the file's index), `clips` clips per file at equal distances."""

    def __init__(self, files: Sequence[Path], frames: int, clips: int, decoder: str) -> None:
        self._files, self._frames, self._clips = [str(file) for file in files], frames, clips
        self._read = {"torchcodec": _by_torchcodec, "av": _by_av}[decoder]

    def __len__(self) -> int:
        return len(self._files) * self._clips

    def __getitem__(self, index: int) -> tuple[torch.Tensor, int]:
        file, clip = divmod(index, self._clips)
        return self._read(self._files[file], clip / self._clips, self._frames), file


def _open_by_torchcodec(path: str) -> Any:
    from torchcodec.decoders import VideoDecoder

    return VideoDecoder(path, num_ffmpeg_threads=1)


def _by_torchcodec(path: str, position: float, frames: int) -> torch.Tensor:
    decoder = _open_by_torchcodec(path)
    _require_length(path, len(decoder), frames)
    first = min(int(position * len(decoder)), len(decoder) - frames)
    return decoder.get_frames_in_range(first, first + frames).data


def _by_av(path: str, position: float, frames: int) -> torch.Tensor:
    import av

    with av.open(path) as container:
        stream = container.streams.video[0]
        stream.thread_count = 1
        # Matroska stores no frame count, and the last frame that the duration implies may be missing.
        count = stream.frames or int((container.duration or 0) / av.time_base * stream.average_rate) - 1
        _require_length(path, count, frames)
        first = min(int(position * count), count - frames)
        start = int(first / stream.average_rate / stream.time_base)
        container.seek(start, stream=stream)  # to the key frame before it
        found: list[Any] = []
        for frame in container.decode(stream):
            if frame.pts >= start:
                found.append(torch.from_numpy(frame.to_ndarray(format="rgb24")).permute(2, 0, 1))
            if len(found) == frames:
                break
        return torch.stack(found)


def _require_length(path: str, count: int, frames: int) -> None:
    if count < frames:
        raise Mistake(f"{path}: has {max(count, 0)} frames, and a clip {frames}; leave it out, or give smaller frames")


def open(path: str, frames: int = 8, clips: int = 4, decoder: str = "torchcodec") -> Clips:  # noqa: A001
    """`path`: a folder of video files. `decoder`: torchcodec or av."""
    files = sorted(file for file in Path(path).rglob("*") if file.suffix in _SUFFIXES)
    # Opens a file now, so that missing libraries are reported before a measurement.
    try:
        importlib.import_module(_PACKAGES[decoder])
        if decoder == "torchcodec" and files:
            _open_by_torchcodec(str(files[0]))
    except RuntimeError as error:
        if "libtorchcodec" not in str(error):
            raise
        raise MissingPackage("torchcodec finds no shared libraries of FFmpeg; install it, as by: apt-get install ffmpeg") from None
    return Clips(files, frames, clips, decoder)
