# SPDX-License-Identifier: Apache-2.0
"""A training step on a real GPU: what trainers/device_trainer.cpp does, in PyTorch's own calls."""
from __future__ import annotations

import collections
import time
from typing import Any, Callable, Optional

import torch

from .batches import bytes_of, tensors_of
from .channel import Channel
from .device_step import MOST_OFF, Step
from .job import CudaJob
from .trainers import send_marks


Normalize = Callable[[Any], Any]  # of the images of a batch, on the device


class _Step:
    """The events of one step; in PyTorch their times are known once the device has passed them."""

    def __init__(self, cuda: Any) -> None:
        self.copy_begin = cuda.Event(enable_timing=True)
        self.copy_end = cuda.Event(enable_timing=True)
        self.compute_begin = cuda.Event(enable_timing=True)
        self.compute_end = cuda.Event(enable_timing=True)


class CudaTrainer:
    """`cuda` is torch.cuda, or a stand-in in a test; `step` queues the device's work, behind that of `normalize`. One thread."""

    def __init__(self, channel: Channel, options: CudaJob, cuda: Any, step: Step, normalize: Optional[Normalize] = None) -> None:
        self._channel = channel
        self._options = options
        self._cuda = cuda
        cuda.set_device(options.device)
        self._device = f"cuda:{options.device}"
        self._compute_stream = cuda.current_stream()
        self._side_stream = cuda.Stream() if options.side_stream else None
        self._step = step
        self._normalize = normalize
        self._asked_ns = 0.0  # of all steps
        self._steps: list[_Step] = []
        self._copying: collections.deque[Any] = collections.deque()
        self._marks: list[tuple[int, int, int, int, int]] = []
        self._set_anchor()

    def copy(self, batch: Any, samples: int) -> tuple[int, list[Any]]:
        step = _Step(self._cuda)
        self._steps.append(step)
        stream = self._side_stream or self._compute_stream
        with self._cuda.stream(stream):
            step.copy_begin.record(stream)
            copied = [tensor.to(self._device, non_blocking=self._options.non_blocking) for tensor in tensors_of(batch)]
            step.copy_end.record(stream)
        if self._options.non_blocking:
            self._limit_run_ahead(step.copy_end)
        return samples, copied

    def train(self, asked: int, loaded: int, copied: tuple[int, list[Any]]) -> None:
        copy_returned = time.monotonic_ns()
        samples, tensors = copied
        self._compute(self._steps[-1], samples, tensors)
        self._marks.append((asked, loaded, copy_returned, time.monotonic_ns(), samples))

    def begin_window(self) -> None:
        self._marks.clear()

    def finish(self) -> None:
        self._cuda.synchronize()
        send_marks(self._channel, self._marks)
        spans = [self._spans(step) for step in self._steps]
        for begin in range(0, len(spans), 1000):
            self._channel.send("spans", spans=spans[begin : begin + 1000])
        took = sum(compute_end - compute_begin for _, _, compute_begin, compute_end in spans)
        is_step_alone = self._normalize is None and self._asked_ns > 0
        if is_step_alone and abs(took / self._asked_ns - 1.0) > MOST_OFF:
            self._channel.send("warning", text=f"steps took {took / self._asked_ns:.3f} times the requested duration on the GPU")

    def _compute(self, step: _Step, samples: int, tensors: list[Any]) -> None:
        _spin(self._options.host_overhead_ns)
        stream = self._compute_stream
        if self._side_stream is not None:
            stream.wait_event(step.copy_end)
            for tensor in tensors:  # the allocator must not give their memory to the next copy before this step is over
                tensor.record_stream(stream)
        step.compute_begin.record(stream)
        if self._normalize is not None:
            tensors[0] = self._normalize(tensors[0])  # a sample is an image and its label
        step_ns = self._options.steps_ns[(len(self._steps) - 1) % len(self._options.steps_ns)]
        length = step_ns / self._options.reference_batch * self._units(samples, tensors)
        if length > 0:
            self._step(length)
            self._asked_ns += length
        step.compute_end.record(stream)
        if self._options.sync_every and len(self._steps) % self._options.sync_every == 0:
            stream.synchronize()

    def _units(self, samples: int, tensors: list[Any]) -> int:
        if not self._options.unit_bytes:
            return samples
        return max(0, bytes_of(tensors) - self._options.label_bytes * samples) // self._options.unit_bytes

    def _limit_run_ahead(self, copy_end: Any) -> None:
        self._copying.append(copy_end)
        while self._copying and self._copying[0].query():
            self._copying.popleft()
        if len(self._copying) > self._options.run_ahead:
            self._copying.popleft().synchronize()

    def _set_anchor(self) -> None:
        """Ties the device's time to the host's: an event on an idle device is over when the host has waited for it."""
        self._cuda.synchronize()
        self._anchor = self._cuda.Event(enable_timing=True)
        self._anchor.record()
        self._anchor.synchronize()
        self._anchor_time = time.monotonic_ns()

    def _spans(self, step: _Step) -> list[int]:
        return [
            self._anchor_time + round(self._anchor.elapsed_time(event) * 1e6)
            for event in (step.copy_begin, step.copy_end, step.compute_begin, step.compute_end)
        ]


def make_normalize(values: dict[str, list[float]], device: str) -> Normalize:
    """What ToTensor and Normalize do, of bytes."""
    mean, std = (torch.tensor(values[name], device=device).view(-1, 1, 1) for name in ("mean", "std"))
    return lambda images: (images.float() / 255 - mean) / std


def _spin(duration_ns: int) -> None:
    """Keeps the processor and the interpreter's lock, as a model's own Python does."""
    end = time.monotonic_ns() + duration_ns
    while time.monotonic_ns() < end:
        pass
