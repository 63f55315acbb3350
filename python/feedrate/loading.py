# SPDX-License-Identifier: Apache-2.0
"""The feed of a cell: its DataLoader or the mock loader, with epochs of an exact number of batches."""
from __future__ import annotations

import contextlib
import inspect
import itertools
import sys
import weakref
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, Optional

import torch
from torch.utils.data import BatchSampler, DataLoader, IterableDataset, RandomSampler, SequentialSampler

from . import simulated_accelerator
from .batches import samples_of
from .failures import Mistake
from .job import LoaderJob
from .own_modules import named


@dataclass(frozen=True)
class Workload:
    """A dataset and its loading functions. `own`: the user brought it. `at_end` is called after the measurement. For sequences, `lengths`
    returns the length of each record, and `count_tokens` the tokens of a batch without and with padding."""

    dataset: Any
    collate_fn: Optional[Callable[[list[Any]], Any]] = None
    worker_init_fn: Optional[Callable[[int], None]] = None
    sampler: Optional[Callable[[Any], Any]] = None  # called with the dataset, as is batch_sampler; at most one of the two
    batch_sampler: Optional[Callable[[Any], Any]] = None
    own: bool = False
    at_end: Callable[[], None] = lambda: None
    lengths: Optional[Callable[[], list[int]]] = None
    count_tokens: Optional[Callable[[Any], tuple[int, int]]] = None


class WindowShuffled:
    """A sampler that shuffles windows of consecutive records, and the records within each window.

    loaders/sampler.h has the same in C++, windowed_order().
    """

    def __init__(self, records: int, window: int, generator: torch.Generator) -> None:
        self._records, self._window, self._generator = records, window, generator

    def __len__(self) -> int:
        return self._records

    def __iter__(self) -> Iterator[int]:
        windows = -(-self._records // self._window)
        for number in self._permutation(windows):
            begin = number * self._window
            for offset in self._permutation(min(self._window, self._records - begin)):
                yield begin + offset

    def _permutation(self, count: int) -> list[int]:
        order: list[int] = torch.randperm(count, generator=self._generator).tolist()
        return order


class LengthGrouped:
    """A sampler that applies the order of Hugging Face's LengthGroupedSampler (`group_by_length`) to the order of another sampler.

    group_by_length() of loaders/sampler.h is the same in C++.
    """

    def __init__(self, order: Any, lengths: list[int], batch_size: int) -> None:
        self._order = order
        self._lengths = lengths
        self._pool = batch_size * max(1, min(len(lengths) // (4 * batch_size), 50))

    def __len__(self) -> int:
        return len(self._order)

    def __iter__(self) -> Iterator[int]:
        order = list(self._order)
        pools = [order[begin : begin + self._pool] for begin in range(0, len(order), self._pool)]
        pools = [sorted(pool, key=self._lengths.__getitem__, reverse=True) for pool in pools]
        longest = max(pools, key=lambda pool: self._lengths[pool[0]])
        pools[0][0], longest[0] = longest[0], pools[0][0]
        return (index for pool in pools for index in pool)


class ExactEpochs:
    """A batch sampler over PyTorch's samplers. An epoch ends after `batches` batches: before the sampler does, or after continuing with
    the following epochs, so that a rate can be measured without the pause between epochs. Epoch e shuffles with a generator seeded
    with seed + e, as DistributedSampler.set_epoch() does.

    loaders/sampler.h is the same in C++.
    """

    def __init__(self, records: int, options: LoaderJob, lengths: Optional[list[int]] = None) -> None:
        self._options = options
        self._generator = torch.Generator()
        if options.shuffle and options.shuffle_window > 0:
            order: Any = WindowShuffled(records, options.shuffle_window, self._generator)
        elif options.shuffle:
            order = RandomSampler(range(records), generator=self._generator)
        else:
            order = SequentialSampler(range(records))
        batch_size = _batch_size(options)
        if lengths:
            order = LengthGrouped(order, lengths, batch_size)
        self._sampler = BatchSampler(order, batch_size, options.drop_last)
        self._epoch = 0
        self._batches = 0

    def begin(self, epoch: int, batches: int) -> None:
        self._epoch, self._batches = epoch, batches

    def __iter__(self) -> Iterator[list[int]]:
        epoch, left = self._epoch, self._batches
        while left > 0:
            self._generator.manual_seed(self._options.seed + epoch)
            for batch in self._sampler:
                yield batch
                left -= 1
                if left == 0:
                    return
            epoch += 1

    def __len__(self) -> int:
        return self._batches

    @property
    def batches_per_epoch(self) -> int:
        return len(self._sampler)


class MapFeed:
    ends_by_itself = True  # an epoch of n batches ends with StopIteration, as in DataLoader
    epochs_begun = 0
    is_idle = True

    def __init__(self, workload: Workload, options: LoaderJob) -> None:
        self._options = options
        self._batch_size = _batch_size(options)
        self.records = _length(workload)
        if options.drop_last and self.records < self._batch_size:
            raise Mistake(
                f"drop_last: the dataset has {self.records} records, fewer than batch_size {self._batch_size}: there is no full batch"
            )
        lengths = workload.lengths() if workload.lengths and options.group_by_length else None
        self._sampler = ExactEpochs(self.records, options, lengths)
        self.count_tokens = workload.count_tokens
        self.loader = DataLoader(workload.dataset, batch_sampler=self._sampler, **_arguments(workload, options))

    def begin(self, epoch: int, batches: int) -> Iterator[Any]:
        self._sampler.begin(epoch, batches)
        self._given = 0
        return iter(self.loader)

    def samples(self, batch: Any) -> int:
        """The size of the next batch in the sampler's order. With in_order=False only the sum is right, and only the sum is used."""
        number = self._given % self._sampler.batches_per_epoch
        self._given += 1
        rest = self.records - number * self._batch_size
        return min(rest, self._batch_size)

    @property
    def batches_per_epoch(self) -> Optional[int]:
        return self._sampler.batches_per_epoch

    @property
    def samples_dropped(self) -> int:
        return self.records % self._batch_size if self._options.drop_last else 0


class IterableFeed:
    """An IterableDataset behind DataLoader, or a batch_sampler, sampler or loader of the user. It alone decides when an epoch ends. To
    continue, this feed calls iter() again, at the expense of that step; to stop early, it drops the iterator."""

    ends_by_itself = False

    def __init__(self, workload: Workload, options: LoaderJob) -> None:
        make = named(options.factory, "loader.factory") if options.factory else DataLoader
        simulated_accelerator.show_to(make)
        self.epochs_begun = 0
        self._last: Callable[[], Any] = lambda: None
        self.loader = make(workload.dataset, **_order(workload, options), **_arguments(workload, options))
        self.records: Optional[int] = None
        self.batches_per_epoch: Optional[int] = None
        self.samples_dropped = 0
        self.count_tokens = None

    def begin(self, epoch: int, batches: int) -> Iterator[Any]:
        return _Endless(self)

    def start(self) -> Iterator[Any]:
        iterator: Iterator[Any] = iter(self.loader)
        with contextlib.suppress(TypeError):  # a list iterator allows no weak reference, and needs none
            self._last = weakref.ref(iterator)
        return iterator

    @property
    def is_idle(self) -> bool:
        """Whether an epoch that was left early has ended. A loader that keeps its iterator, as DataLoader with persistent workers does, first
        loads the batches that were requested, within the next iter()."""
        return self._last() is None

    def samples(self, batch: Any) -> int:
        return samples_of(batch)


class _Endless:
    def __init__(self, feed: IterableFeed) -> None:
        self._feed = feed
        self._iterator = feed.start()

    def __iter__(self) -> _Endless:
        return self

    def __next__(self) -> Any:
        try:
            return next(self._iterator)
        except StopIteration:
            self._iterator = self._feed.start()
            self._feed.epochs_begun += 1
        try:
            return next(self._iterator)
        except StopIteration:
            raise Mistake("dataset.torch: an epoch of it has no batches; it must yield at least batch_size samples") from None

    @property
    def _workers(self) -> Optional[list[Any]]:
        return getattr(self._iterator, "_workers", None)


class CachedFeed:
    """The mock loader: it returns one loaded batch repeatedly. loaders/cached_loader.cpp is the same in C++."""

    ends_by_itself = True
    epochs_begun = 0
    is_idle = True
    batches_per_epoch: Optional[int] = None
    samples_dropped = 0
    count_tokens = None

    def __init__(self, workload: Workload, options: LoaderJob) -> None:
        if _decides_batches(workload, options):
            self._batch = next(IterableFeed(workload, options).begin(0, 1))
            self._samples = samples_of(self._batch)
            return
        records = _length(workload)
        self._samples = _batch_size(options)
        indices = [[index % records for index in range(self._samples)]]
        self._batch = next(iter(DataLoader(workload.dataset, batch_sampler=indices, **_arguments(workload, options))))

    def begin(self, epoch: int, batches: int) -> Iterator[Any]:
        return itertools.repeat(self._batch, batches)

    def samples(self, batch: Any) -> int:
        return self._samples


def _decides_batches(workload: Workload, options: LoaderJob) -> bool:
    return options.batch_size is None or isinstance(workload.dataset, IterableDataset)


def _batch_size(options: LoaderJob) -> int:
    assert options.batch_size is not None
    return options.batch_size


def open_feed(workload: Workload, options: LoaderJob) -> Any:
    if options.cached:
        return CachedFeed(workload, options)
    if options.factory or workload.sampler or workload.batch_sampler or _decides_batches(workload, options):
        return IterableFeed(workload, options)
    return MapFeed(workload, options)


def _length(workload: Workload) -> int:
    dataset = workload.dataset
    if not hasattr(dataset, "__getitem__") and not hasattr(dataset, "__getitems__"):
        raise Mistake(
            f"dataset.torch: it returned a {type(dataset).__name__}, which is not a dataset; return an object with __len__ and "
            "__getitem__, or one of torch.utils.data.IterableDataset"
        )
    try:
        length = len(dataset)
    except (TypeError, NotImplementedError) as error:
        raise Mistake(
            f"dataset.torch: the dataset {type(dataset).__name__} has no __len__; add it, or derive from "
            "torch.utils.data.IterableDataset and yield samples from __iter__"
        ) from error
    if length == 0:
        raise Mistake(f"dataset.torch: the dataset {type(dataset).__name__} is empty; len() must be at least 1")
    return length


def _order(workload: Workload, options: LoaderJob) -> dict[str, Any]:
    """The arguments that order samples. PyTorch itself rejects invalid combinations."""
    if workload.batch_sampler:
        return {"batch_sampler": workload.batch_sampler(workload.dataset)}
    order: dict[str, Any] = {"batch_size": options.batch_size, "drop_last": options.drop_last}
    if options.shuffle:
        order["shuffle"] = True
    if workload.sampler:
        order["sampler"] = workload.sampler(workload.dataset)
    return order


class _Start:
    """A worker's initialization. It sets the sharing strategy, which only a forked worker inherits, and the number of threads."""

    def __init__(self, strategy: str, threads: int, then: Optional[Callable[[int], None]]) -> None:
        self._strategy, self._threads, self._then = strategy, threads, then

    def __call__(self, worker_id: int) -> None:
        torch.multiprocessing.set_sharing_strategy(self._strategy)
        if self._threads > 0:
            torch.set_num_threads(self._threads)
            for name, setter in (("cv2", "setNumThreads"), ("numexpr", "set_num_threads")):
                if name in sys.modules:
                    getattr(sys.modules[name], setter)(self._threads)
        if self._then:
            self._then(worker_id)


def _arguments(workload: Workload, options: LoaderJob) -> dict[str, Any]:
    start = workload.worker_init_fn
    if options.sharing_strategy != "file_descriptor" or options.worker_threads > 0:  # PyTorch's defaults
        start = _Start(options.sharing_strategy, options.worker_threads, start)
    arguments: dict[str, Any] = {
        "num_workers": options.num_workers,
        "pin_memory": options.pin_memory,
        "collate_fn": workload.collate_fn,
        "worker_init_fn": start,
        "generator": torch.Generator().manual_seed(options.seed),
    }
    if options.num_workers > 0:
        arguments["prefetch_factor"] = options.prefetch_factor
        arguments["persistent_workers"] = options.persistent_workers
        if options.timeout:  # other loaders use another default for no timeout
            arguments["timeout"] = options.timeout
        arguments["multiprocessing_context"] = options.multiprocessing_context
    if not options.in_order:
        if "in_order" not in inspect.signature(DataLoader.__init__).parameters:
            raise Mistake(f"in_order: false needs torch 2.6 or later; this is torch {torch.__version__}")
        arguments["in_order"] = False
    return arguments
