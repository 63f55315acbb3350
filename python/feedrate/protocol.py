# SPDX-License-Identifier: Apache-2.0
"""The measuring protocol, as in bench/engines/protocol.cpp: short epochs to measure the start of an epoch, then one long epoch. The
first steps of that one are discarded; the others are the window."""
from __future__ import annotations

import contextlib
import os
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Protocol

from .channel import Channel
from .job import ProtocolJob


class Trainer(Protocol):
    """Consumes batches. copy() must not keep the batch, which is freed between the two calls, as in `x = x.to(device)`; the cost of that
    counts as copying."""

    def copy(self, batch: Any, samples: int) -> Any: ...

    def train(self, asked: int, loaded: int, copied: Any) -> None: ...

    def begin_window(self) -> None: ...

    def finish(self) -> None:
        """Waits for queued work and reports it."""


class Measuring:
    def __init__(self, feed: Any, trainer: Trainer, channel: Channel, plan: ProtocolJob) -> None:
        self._feed = feed
        self._trainer = trainer
        self._channel = channel
        self._plan = plan
        self._tokens = self._token_places = 0

    def run(self) -> None:
        for epoch in range(self._plan.short_epochs):
            self._short_epoch(epoch)
        # Extra batches, which no step asks for, keep the workers busy until the window ends.
        batches = 1 + self._plan.discarded + self._plan.kept + self._plan.max_outstanding
        iterator = self._begin(self._plan.short_epochs, batches)
        for _ in range(self._plan.discarded):
            self._step(iterator)
        self._channel.ask("window", processes=_processes(iterator))
        self._tokens = self._token_places = 0
        epochs_before = self._feed.epochs_begun
        self._trainer.begin_window()
        self._keep_steps(iterator)
        self._channel.ask(
            "window_over", processes=_processes(iterator), tokens=self._tokens, token_places=self._token_places,
            epochs=self._feed.epochs_begun - epochs_before
        )
        self._trainer.finish()

    def _keep_steps(self, iterator: Iterator[Any]) -> None:
        plan, begun = self._plan, time.monotonic_ns()
        for kept in range(1, plan.kept + 1):
            self._step(iterator)
            if plan.window_limit_ns is not None and kept >= plan.least_kept and kept % plan.round == 0:
                if time.monotonic_ns() - begun >= plan.window_limit_ns:
                    break

    def _short_epoch(self, epoch: int) -> None:
        batches = self._plan.short_epoch_batches
        iterator = self._begin(epoch, batches)
        for _ in range(batches - 1):
            self._step(iterator)
        if not self._feed.ends_by_itself:
            return
        asked = time.monotonic_ns()
        for _ in iterator:
            raise RuntimeError("the DataLoader yields more batches than its sampler")
        self._channel.send("epoch_end", took=time.monotonic_ns() - asked)

    def _begin(self, epoch: int, batches: int) -> Iterator[Any]:
        """Starts an epoch and trains on its first batch, whose step, with the cost of the start, is never kept."""
        was_idle = self._feed.is_idle
        start = time.monotonic_ns()
        iterator: Iterator[Any] = self._feed.begin(epoch, batches)
        batch = next(iterator)
        loaded = time.monotonic_ns()
        self._channel.send("first_batch", took=loaded - start if was_idle else None)
        copied = self._trainer.copy(batch, self._feed.samples(batch))
        del batch
        self._trainer.train(start, loaded, copied)
        return iterator

    def _step(self, iterator: Iterator[Any]) -> None:
        asked = time.monotonic_ns()
        batch = next(iterator)
        loaded = time.monotonic_ns()
        if self._feed.count_tokens:
            self._count(*self._feed.count_tokens(batch))
        copied = self._trainer.copy(batch, self._feed.samples(batch))
        del batch
        self._trainer.train(asked, loaded, copied)

    def _count(self, tokens: int, positions: int) -> None:
        self._tokens += tokens
        self._token_places += positions


def _processes(iterator: Any) -> list[int]:
    """This process and the workers, whose CPU time is the loader's. For a loader that is not PyTorch's: all child processes."""
    workers = getattr(iterator, "_workers", None)
    return [os.getpid(), *(_descendants(os.getpid()) if workers is None else [worker.pid for worker in workers])]


def _descendants(process: int) -> list[int]:
    """The process ids of all descendants; empty if the kernel does not list children (CONFIG_PROC_CHILDREN)."""
    found = []
    for children in Path(f"/proc/{process}/task").glob("*/children"):
        with contextlib.suppress(OSError):
            for child in map(int, children.read_text().split()):
                found += [child, *_descendants(child)]
    return found
