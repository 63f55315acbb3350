# SPDX-License-Identifier: Apache-2.0
"""A training step on a real GPU: bench/trainers/device_trainer.cpp in PyTorch's calls."""
from __future__ import annotations

import collections
import time
from typing import Any, Callable, Optional

import torch

from .batches import bytes_of, tensors, tensors_of
from .channel import Channel
from .device_step import MOST_OFF, Step
from .job import CudaJob
from .trainers import send_marks


Normalize = Callable[[Any], Any]


class _Step:
    """The CUDA events of one step. Their times are known once the device has passed them."""

    def __init__(self, cuda: Any) -> None:
        self.copy_begin = cuda.Event(enable_timing=True)
        self.copy_end = cuda.Event(enable_timing=True)
        self.compute_begin = cuda.Event(enable_timing=True)
        self.compute_end = cuda.Event(enable_timing=True)


class TimedCompute:
    """Queues device work of a given duration, after `normalize`."""

    def __init__(self, options: CudaJob, step: Step, normalize: Optional[Normalize] = None) -> None:
        self.asked_ns = 0.0  # sum over all steps; 0 where steps take longer by design
        self._options = options
        self._step = step
        self._normalize = normalize

    def moved(self, batch: Any, move: Callable[[torch.Tensor], torch.Tensor]) -> list[torch.Tensor]:
        return [move(tensor) for tensor in tensors_of(batch)]

    def __call__(self, number: int, samples: int, batch: list[torch.Tensor]) -> None:
        if self._normalize is not None:
            batch[0] = self._normalize(batch[0])  # a sample is an image and its label
        step_ns = self._options.steps_ns[number % len(self._options.steps_ns)]
        length = step_ns / self._options.reference_batch * self._units(samples, batch)
        if length > 0:
            self._step(length)
            self.asked_ns += length if self._normalize is None else 0.0

    def _units(self, samples: int, batch: list[torch.Tensor]) -> int:
        if not self._options.unit_bytes:
            return samples
        return max(0, bytes_of(batch) - self._options.label_bytes * samples) // self._options.unit_bytes


class CudaTrainer:
    """`cuda` is torch.cuda, or a stand-in in a test; `compute` queues the device's work: TimedCompute, OwnCompute. One thread."""

    def __init__(self, channel: Channel, options: CudaJob, cuda: Any, compute: Any) -> None:
        self._channel = channel
        self._options = options
        self._cuda = cuda
        cuda.set_device(options.device)
        self._device = f"cuda:{options.device}"
        self._compute_stream = cuda.current_stream()
        self._side_stream = cuda.Stream() if options.side_stream else None
        self._compute = compute
        self._steps: list[_Step] = []
        self._launched = 0
        self._sent: collections.deque[tuple[int, Any]] = collections.deque()  # copied, not yet launched
        self._copying: collections.deque[Any] = collections.deque()
        self._marks: list[tuple[int, int, int, int, int]] = []
        self._set_anchor()

    def copy(self, batch: Any, samples: int) -> tuple[int, Any]:
        step = _Step(self._cuda)
        self._steps.append(step)
        stream = self._side_stream or self._compute_stream
        with self._cuda.stream(stream):
            step.copy_begin.record(stream)
            copied = self._compute.moved(batch, lambda tensor: tensor.to(self._device, non_blocking=self._options.non_blocking))
            step.copy_end.record(stream)
        if self._options.non_blocking:
            self._limit_run_ahead(step.copy_end)
        return samples, copied

    def train(self, asked: int, loaded: int, copied: tuple[int, Any]) -> None:
        copy_returned = time.monotonic_ns()
        self._sent.append(copied)
        if len(self._sent) > self._options.device_prefetch:
            self._launch(*self._sent.popleft())
        self._marks.append((asked, loaded, copy_returned, time.monotonic_ns(), copied[0]))

    def begin_window(self) -> None:
        self._marks.clear()

    def finish(self) -> None:
        while self._sent:
            self._launch(*self._sent.popleft())
        self._cuda.synchronize()
        send_marks(self._channel, self._marks)
        spans = [self._spans(step) for step in self._steps]
        for begin in range(0, len(spans), 1000):
            self._channel.send("spans", spans=spans[begin : begin + 1000])
        took = sum(compute_end - compute_begin for _, _, compute_begin, compute_end in spans)
        asked = self._compute.asked_ns
        if asked > 0 and abs(took / asked - 1.0) > MOST_OFF:
            self._channel.send("warning", text=f"steps took {took / asked:.3f} times the requested duration on the GPU")

    def _launch(self, samples: int, batch: Any) -> None:
        step = self._steps[self._launched]
        _spin(self._options.host_overhead_ns)
        stream = self._compute_stream
        if self._side_stream is not None:
            stream.wait_event(step.copy_end)
            for tensor in tensors(batch):  # keeps the caching allocator from reusing their memory before this step ends
                tensor.record_stream(stream)
        step.compute_begin.record(stream)
        self._compute(self._launched, samples, batch)
        step.compute_end.record(stream)
        self._launched += 1
        if self._options.sync_every and self._launched % self._options.sync_every == 0:
            stream.synchronize()

    def _limit_run_ahead(self, copy_end: Any) -> None:
        self._copying.append(copy_end)
        while self._copying and self._copying[0].query():
            self._copying.popleft()
        if len(self._copying) > self._options.run_ahead:
            self._copying.popleft().synchronize()

    def _set_anchor(self) -> None:
        """Maps device time to host time: an event on an idle device ends when the host has waited for it."""
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
    mean, std = (torch.tensor(values[name], device=device).view(-1, 1, 1) for name in ("mean", "std"))
    return lambda images: (images.float() / 255 - mean) / std


def _spin(duration_ns: int) -> None:
    """Holds the core and the GIL, as the Python code of a model does."""
    end = time.monotonic_ns() + duration_ns
    while time.monotonic_ns() < end:
        pass
