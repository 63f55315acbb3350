# SPDX-License-Identifier: Apache-2.0
"""Trainers without a device in this process: feedrate's own, over the channel, and the mock trainer."""
from __future__ import annotations

import time
from dataclasses import dataclass
from typing import Any

from . import simulated_accelerator
from .batches import bytes_of, tensors_of
from .channel import Channel


@dataclass(frozen=True)
class Summary:
    samples: int
    size: int
    pinned: bool


class ParentTrainer:
    """The native engine's trainer, which runs in feedrate on a simulated device. It receives each loaded batch and answers with the end of
    the step. Until then this thread sleeps without the GIL, as in a CUDA call."""

    def __init__(self, channel: Channel) -> None:
        self._channel = channel

    def copy(self, batch: Any, samples: int) -> Summary:
        found = tensors_of(batch)
        pinned = all(simulated_accelerator.is_pinned(tensor) for tensor in found)
        return Summary(samples, bytes_of(found), pinned)

    def train(self, asked: int, loaded: int, copied: Summary) -> None:
        over = self._channel.ask(
            "batch",
            t0=asked,
            t1=loaded,
            let_go=time.monotonic_ns(),
            samples=copied.samples,
            bytes=copied.size,
            pinned=copied.pinned,
        )
        time.sleep(max(0, over - time.monotonic_ns()) / 1e9)

    def begin_window(self) -> None: ...

    def finish(self) -> None: ...


def send_marks(channel: Channel, marks: list[tuple[int, int, int, int, int]]) -> None:
    """Sends t0, t1, t2, t3 and the number of samples of each kept step, in messages of limited size."""
    for begin in range(0, len(marks), 1000):
        channel.send("marks", marks=marks[begin : begin + 1000])


class DiscardTrainer:
    """The mock trainer: no copy, no step."""

    def __init__(self, channel: Channel) -> None:
        self._channel = channel
        self._marks: list[tuple[int, int, int, int, int]] = []

    def copy(self, batch: Any, samples: int) -> int:
        tensors_of(batch)
        return samples

    def train(self, asked: int, loaded: int, copied: int) -> None:
        let_go = time.monotonic_ns()  # freeing the batch is the loader's cost
        self._marks.append((asked, loaded, let_go, let_go, copied))

    def begin_window(self) -> None:
        self._marks.clear()

    def finish(self) -> None:
        send_marks(self._channel, self._marks)
