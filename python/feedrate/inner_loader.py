# SPDX-License-Identifier: Apache-2.0
"""A DataLoader with one setting, which takes its indices from a feed over the rest of an epoch."""
from __future__ import annotations

import inspect
from collections import deque
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Any, Optional

from torch import Generator
from torch.utils.data import DataLoader

from .random_states import copy_of
from .trial_workers import adopt, trial_arguments, unnoticed_start

_HAS_IN_ORDER = "in_order" in inspect.signature(DataLoader.__init__).parameters


@dataclass(frozen=True)
class LoaderSettings:
    """The DataLoader arguments that can change within an epoch. None keeps the user's.

    Persistent workers do not see changes of the dataset that the training process makes between two epochs.
    """

    num_workers: int
    prefetch_factor: Optional[int] = None
    pin_memory: bool = False
    persistent_workers: bool = False
    in_order: bool = True
    multiprocessing_context: Optional[str] = None

    @classmethod
    def of(cls, loader: DataLoader) -> LoaderSettings:
        workers, ahead, in_order = loader.num_workers, loader.prefetch_factor, getattr(loader, "in_order", True)
        return cls(workers, ahead, loader.pin_memory, loader.persistent_workers, in_order).completed(loader)

    def completed(self, loader: DataLoader) -> LoaderSettings:
        """The same settings in canonical form: arguments that mean nothing without workers have their defaults."""
        if self.num_workers == 0:
            return LoaderSettings(0, pin_memory=self.pin_memory)
        ahead = self.prefetch_factor or (loader.num_workers and loader.prefetch_factor) or 2
        return replace(self, prefetch_factor=ahead, in_order=self.in_order or not _HAS_IN_ORDER)

    def arguments(self) -> dict[str, Any]:
        """The DataLoader arguments, in a combination that this torch accepts."""
        arguments: dict[str, Any] = {"num_workers": self.num_workers, "pin_memory": self.pin_memory}
        if self.num_workers:
            arguments["persistent_workers"] = self.persistent_workers
            if self.prefetch_factor is not None:
                arguments["prefetch_factor"] = self.prefetch_factor
            if self.multiprocessing_context is not None:
                arguments["multiprocessing_context"] = self.multiprocessing_context
            if not self.in_order and _HAS_IN_ORDER:
                arguments["in_order"] = False
        return arguments


class InnerLoader(DataLoader):
    """The loader of one setting. The patch of DataLoader.__iter__ skips this class."""

    def check_worker_number_rationality(self) -> None:
        """Suppresses PyTorch's warning: settings that feedrate tries are not the user's choice."""


class Raised:
    """Takes the place of indices: the exception that the sampler raised."""

    def __init__(self, error: Exception) -> None:
        self.error = error.with_traceback(error.__traceback__ and error.__traceback__.tb_next)  # drops feedrate's own frame


class Source:
    """The rest of the sampler's items, in order, including those that were taken but not loaded and put back."""

    def __init__(self, indices: Iterator[Any]) -> None:
        self._indices = indices
        self._ahead: deque[Any] = deque()
        self.taken = 0  # pulled, minus put back

    def peek(self, position: int = 0) -> bool:
        """Whether there is an item at `position` from here; asks the sampler if necessary."""
        while len(self._ahead) <= position:
            if self._ahead and type(self._ahead[-1]) is Raised:
                return False
            try:
                self._ahead.append(next(self._indices))
            except StopIteration:
                return False
            except Exception as error:
                self._ahead.append(Raised(error))
        return True

    def look_at(self, position: int = 0) -> Any:
        """Returns the item without taking it. Raises StopIteration if there is none."""
        if self.peek(position):
            return self._ahead[position]
        raise StopIteration

    def pull(self) -> Any:
        item = self.look_at()
        self._ahead.popleft()
        self.taken += 1
        return item

    def put_back(self, items: Iterable[Any]) -> None:
        before = len(self._ahead)
        self._ahead.extendleft(reversed(list(items)))
        self.taken -= len(self._ahead) - before


class Feed:
    """The batch sampler of an inner loader. It ends when its source is taken away.

    `taken` has the items that the loader took and has not returned; `raised` the sampler's exception, if any."""

    def __init__(self) -> None:
        self.source: Any = None
        self.taken: deque[Any] = deque()
        self.raised: Optional[Raised] = None

    def __iter__(self) -> Feed:
        return self

    def __next__(self) -> Any:
        if self.source is None:
            raise StopIteration
        item = self.source.pull()
        if type(item) is Raised:
            self.raised = item
            del item  # a frame that refers to its own exception would keep the workers alive
            raise self.raised.error
        self.taken.append(item)
        return item

    def give_back(self, source: Any, raised: bool) -> None:
        """Puts all taken items back into `source`, and with `raised` also the sampler's exception, which the user has not seen."""
        source.put_back([*self.taken, *([self.raised] if raised and self.raised is not None else [])])
        self.taken.clear()
        self.raised = None


class Inner:
    """One setting: its loader, its feed, its iterator. `is_trial`: not the user's own setting. `slowest_s`: the longest time that a
    batch has taken. `twice`: see guard_loads()."""

    def __init__(self, loader: DataLoader, settings: LoaderSettings, seeds: Generator, is_trial: bool, slowest_s: float = 0.0, twice: int = 0) -> None:
        self.settings = settings
        self.raised = False
        self.feed = Feed()
        self._is_trial = is_trial
        arguments = {"worker_init_fn": loader.worker_init_fn, **settings.arguments()}
        if settings.num_workers:
            arguments["timeout"] = loader.timeout
            arguments.setdefault("multiprocessing_context", loader.multiprocessing_context)
            if is_trial:
                arguments.update(trial_arguments(loader, settings.multiprocessing_context, slowest_s, twice))
        if settings.pin_memory and getattr(loader, "pin_memory_device", None):
            arguments["pin_memory_device"] = loader.pin_memory_device
        feed = {"batch_size": None, "sampler": self.feed} if loader.batch_sampler is None else {"batch_sampler": self.feed}
        self._loader = InnerLoader(
            loader.dataset,
            collate_fn=loader.collate_fn,
            generator=copy_of(seeds),  # so that it draws the same worker seed as the user's loader
            **feed,
            **arguments,
        )

    def start(self, source: Any) -> None:
        self.raised = False
        self.feed.source = source
        self.feed.taken.clear()
        self.feed.raised = None
        with unnoticed_start(self._loader):
            self.iterator = iter(self._loader)
        if self._is_trial:
            adopt(self.iterator)
        self.next = self.iterator.__next__

    def may_be_ready(self) -> bool:
        """False if next() would wait for a living worker."""
        ready = getattr(self.iterator, "_data_queue", None)
        try:
            return ready is None or not ready.empty() or not all(worker.is_alive() for worker in self.iterator._workers)
        except Exception:
            return True
