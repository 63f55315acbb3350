# SPDX-License-Identifier: Apache-2.0
"""The user's own step: `trainer: {torch: "my_project.train:make_step"}`. make_step(device) returns a function of a batch, which
receives the DataLoader's batch with its tensors on that device, and runs forward, backward and optimizer."""
from __future__ import annotations

import time
from typing import Any, Callable

import torch

from .batches import moved
from .channel import Channel
from .failures import Mistake
from .own_modules import named
from .trainers import send_marks

Step = Callable[[Any], Any]  # its result is ignored


def open_own_step(factory: str, device: torch.device) -> Step:
    make = named(factory, "trainer.torch")
    try:
        step: Step = make(device)
    except Exception as error:
        raise Mistake(f"trainer.torch: {factory}({device}) raised {type(error).__name__}: {error}; it must take the device") from error
    if not callable(step):
        raise Mistake(f"trainer.torch: {factory} returned a {type(step).__name__}; it must return a function of a batch")
    return step


class OwnCompute:
    """Runs the user's step on a GPU, instead of one of a given duration. The batch keeps its structure."""

    asked_ns = 0.0

    def __init__(self, step: Step) -> None:
        self._step = step

    def moved(self, batch: Any, move: Callable[[torch.Tensor], torch.Tensor]) -> Any:
        return moved(batch, move)

    def __call__(self, number: int, samples: int, batch: Any) -> None:
        self._step(batch)


class CpuTrainer:
    """Runs the user's step on the CPU. Nothing is copied, so a batch lives until its step ends."""

    def __init__(self, channel: Channel, step: Step) -> None:
        self._channel = channel
        self._step = step
        self._marks: list[tuple[int, int, int, int, int]] = []

    def copy(self, batch: Any, samples: int) -> tuple[int, Any]:
        return samples, batch

    def train(self, asked: int, loaded: int, copied: tuple[int, Any]) -> None:
        samples, batch = copied
        begin = time.monotonic_ns()
        self._step(batch)
        self._marks.append((asked, loaded, begin, time.monotonic_ns(), samples))

    def begin_window(self) -> None:
        self._marks.clear()

    def finish(self) -> None:
        send_marks(self._channel, self._marks)
