# SPDX-License-Identifier: Apache-2.0
"""Changes the settings of a PyTorch DataLoader in the middle of an epoch.

The sampler of the user's loader is asked once. An inner DataLoader, the user's with other settings, takes its indices from a
feed. A switch stops that feed, starts another inner loader over the rest of the indices, hands out what the former one still
has outstanding, and goes on with the new one. So each batch comes once and in its place, and the training waits for the start of
the workers, not for an empty pipeline.

Batches, their order, and the random states of the training process are those of the untouched run. Three things depend on the
settings, as they do in PyTorch:
- What a worker draws depends on its number and on its seed: the augmentation of a sample depends on who loads it. New workers
  get the seed of the epoch's first. A dataset that draws with num_workers=0 draws from the generators of the training process:
  loaded by workers it does not, and what the training draws changes.
- The sampler is asked prefetch_factor * num_workers batches ahead. One that draws from the global generators for each batch is
  found out before the first switch, and there is none; one that does so now and then is not found out, unless it is of a loader
  whose epochs end before the sampler does. After an epoch that is left early, a torch.Generator of the sampler's own can be
  further on.
- With in_order=False the batches of one setting come in the order in which they are ready. Those of the former setting still
  come first.

Private attributes of PyTorch, each with a default where it is missing:
- DataLoader._iterator: whether persistent workers run already; then an epoch draws no seed.
- DataLoader._get_iterator: whether a subclass makes iterators of its own.
- iterator._shutdown_workers: ends workers in another thread. The public way is to drop the iterator, wherever that happens.
"""
from __future__ import annotations

import os
import sys
import threading
import weakref
from collections.abc import Iterator
from typing import Any, Optional

import torch
from torch.utils.data import DataLoader, IterableDataset, MapDataPipe

from .inner_loader import Inner, InnerLoader, LoaderSettings, Source
from .open_files import moved, places
from .own_threads import NAME
from .own_workers import adopt, end, own_start_method, why_not_now
from .random_states import are_equal, copy_of, draw_seed, random_states

__all__ = ["Epochs", "InnerLoader", "LoaderSettings", "SwitchableIterator", "SwitchableLoader", "why_not_switchable"]


def why_not_switchable(loader: Any, within: bool = False) -> Optional[str]:
    """The reason as a sentence, or None. `within`: the caller stands in for DataLoader.__iter__ itself, so that what a subclass
    has around it stays in force."""
    if not isinstance(loader, DataLoader):
        return f"{type(loader).__name__} is not a torch.utils.data.DataLoader."
    if isinstance(loader.dataset, IterableDataset):
        return "The dataset is iterable: its workers divide the stream among themselves."
    if isinstance(loader.dataset, MapDataPipe):
        return "The dataset is a DataPipe, which is divided among the workers when they start."
    if hasattr(loader, "state_dict"):
        return f"{type(loader).__name__} has a state_dict of the place within an epoch."
    for name in ("_get_iterator",) if within else ("__iter__", "_get_iterator"):
        if getattr(type(loader), name, None) is not getattr(DataLoader, name, None):
            return f"{type(loader).__name__} has a method {name} of its own."
    for sampler in (loader.batch_sampler, loader.sampler):
        if hasattr(sampler, "state_dict"):
            return f"{type(sampler).__name__} has a state_dict, which depends on how far ahead it was asked."
    if loader.generator is None and _starts_sampler_again(loader):
        return f"The sampler of {type(loader).__name__} starts again within an epoch, and may draw from the global generators then."
    if loader.num_workers == 0 and own_start_method(loader) != "fork":
        return f"Its workers would start by {own_start_method(loader)}: they run the script again, which may not expect it."
    if torch.empty(0).device.type != "cpu":
        return "torch.set_default_device() makes the loader draw its seeds on a device other than the CPU."
    return None


def _sampler_of_batches(loader: DataLoader) -> Any:
    """Or of samples, where each is a batch."""
    return loader.sampler if loader.batch_sampler is None else loader.batch_sampler


def _starts_sampler_again(loader: DataLoader) -> bool:
    """The loader knows how long an epoch is, and its sampler does not: it goes on for all of them, so that workers stay."""
    if hasattr(_sampler_of_batches(loader), "__len__"):
        return False
    try:
        return len(loader) > 0
    except Exception:
        return False


class Epochs:
    """What lasts from one epoch of a loader to the next: the settings to begin with (None: the user's), a seed, and persistent
    workers that wait for another epoch. It does not hold the loader."""

    def __init__(self, settings: Optional[LoaderSettings] = None) -> None:
        self.settings = settings
        self.waiting: Optional[Inner] = None
        self.seeds: Optional[torch.Generator] = None  # in the state in which PyTorch draws the seed of the workers
        self.sampler_draws: Optional[bool] = None  # from the global generators for each batch; None: not known
        self.workers_hang = False  # other workers than the user's do


class SwitchableIterator:
    """Iterates over one epoch of `loader` as iter(loader) does: the same batches, order and random states, exceptions too. First,
    and once, begin() is called: it is what asks the user's sampler and starts workers, and what it raises is the user's.

    What fails with other settings than the user's (workers that do not start or die, an exception in them) is loaded again with
    the user's, which then go on; only what fails with those is raised. With in_order=False it is raised at once, since it is
    unknown which batches are missing. `failure` is why the last switch did not take place or last.

    One thread iterates; any thread may call switch() and read the properties. An epoch begins with `settings` where an earlier
    one of the same `epochs` has shown that the sampler can be asked ahead, else with the user's for one batch. Without `epochs`,
    persistent workers end with the epoch.
    """

    def __init__(self, loader: DataLoader, settings: Optional[LoaderSettings] = None, epochs: Optional[Epochs] = None) -> None:
        self.failure: Optional[BaseException] = None
        self._inner: Optional[Inner] = None  # hands out batches
        self._following: Optional[Inner] = None  # does so when that one has nothing outstanding
        self._request: Optional[LoaderSettings] = None
        self._retiring: Optional[threading.Thread] = None
        self._ended = False
        self._loader = loader
        self._epochs = epochs or Epochs(settings)
        self._user = LoaderSettings.of(loader)
        self._sampler = _sampler_of_batches(loader)
        self._source = Source(iter(()))
        self._places = places() if self._user.num_workers < 2 else None

    def begin(self) -> SwitchableIterator:
        self._source = Source(self._ask_for_indices())
        if self._user.num_workers:  # else PyTorch asks the sampler at the first next()
            self._prepare()
        return self

    def __iter__(self) -> SwitchableIterator:
        return self

    def __len__(self) -> int:
        return len(self._sampler)

    def __next__(self) -> Any:
        inner = self._inner
        if inner is None or self._request is not None or inner.dead is not None:
            inner = self._prepare()
        inner.busy = True
        try:
            batch = inner.next()
        except BaseException as error:
            inner.busy = False
            if not self._goes_on(inner, error):
                raise
        else:
            inner.busy = False
            inner.feed.taken.popleft()
            if self._following is not None and not inner.feed.taken and not inner.raised:
                self._advance()
            return batch
        return self.__next__()

    def switch(self, settings: LoaderSettings) -> None:
        """Asks for other settings, from the next __next__() on. While a former setting has batches outstanding the request waits,
        and the last one counts."""
        self._request = settings

    @property
    def settings(self) -> LoaderSettings:
        """Of what hands out batches now."""
        return self._inner.settings if self._inner is not None else self._first()

    @property
    def outstanding(self) -> int:
        """Batches that the former setting has yet to hand out before the new one is alone."""
        return len(self._inner.feed.taken) if self._inner is not None and self._following is not None else 0

    def close(self) -> None:
        """Ends the epoch. Workers end, but for persistent ones where `epochs` can use them again."""
        if self._inner is not None and self._following is None and self._inner.settings.persistent_workers:
            self._epochs.waiting = self._inner
        self._inner = self._following = None
        self._ended = True

    __del__ = close

    def _ask_for_indices(self) -> Iterator[Any]:
        """The sampler's iterator. It draws and asks for iterators as DataLoader.__iter__ with the user's settings does."""
        indices = iter(self._sampler)
        resumed = self._epochs.seeds is not None or getattr(self._loader, "_iterator", None) is not None
        if not (self._user.persistent_workers and resumed):
            generator = self._loader.generator
            self._epochs.seeds = copy_of(torch.default_generator if generator is None else generator)
            draw_seed(generator)
            if self._user.num_workers:
                indices = iter(self._sampler)
        elif self._epochs.seeds is None:
            self._epochs.seeds = torch.Generator()
        return indices

    def _first(self) -> LoaderSettings:
        chosen = self._epochs.settings
        return self._user if chosen is None or self._epochs.sampler_draws is not False else chosen.completed(self._loader)

    def _prepare(self) -> Inner:
        """What hands out the next batch: started, switched or replaced where that is due."""
        if self._ended:
            raise StopIteration
        if self._inner is not None and self._inner.dead is not None:
            error, self._inner.dead = self._inner.dead, None
            if not self._goes_on(self._inner, error):
                raise error
        if self._inner is None:
            self._open()
        elif self._request is not None and self._following is None:
            self._switch(self._request.completed(self._loader))
        return self._inner

    def _open(self) -> None:
        if self._user.num_workers:
            self._source.peek()  # now, even where there are no workers to ask for it
        if self._epochs.sampler_draws is None and self._request is None:
            self._request = self._epochs.settings
        first = self._first()
        if first != self._user:
            self._inner = self._try(first)
        if self._inner is None:
            self._inner = self._start(self._user)

    def _switch(self, wanted: LoaderSettings) -> None:
        self._request = self.failure = None
        self._keep(self._inner.settings)
        if wanted == self._inner.settings or not self._may_ask_ahead():
            return
        if self._source.peek():
            self._following = self._try(wanted)
            if self._following is None:
                return
            self._inner.feed.source = None
            if not self._inner.feed.taken:
                self._advance()
        self._keep(wanted)

    def _may_ask_ahead(self) -> bool:
        """Asks for the next indices, as the setting that hands out batches is about to do."""
        try:
            if not self._epochs.sampler_draws:
                before = random_states()
                known = self._source.peek()
                if not are_equal(before, random_states()):
                    self._epochs.sampler_draws = True
                elif known:
                    self._epochs.sampler_draws = False
        except Exception as error:  # no memory
            self._fail(error)
            return False
        if self._epochs.sampler_draws:
            self.failure = RuntimeError("The sampler draws from global generators for each batch: asked ahead it draws others.")
        return not self._epochs.sampler_draws

    def _try(self, settings: LoaderSettings) -> Optional[Inner]:
        refusal = self._why_not(settings)
        if refusal is not None:
            self._fail(RuntimeError(refusal))
            return None
        hook, sys.unraisablehook = sys.unraisablehook, lambda _: None  # PyTorch's iterator, freed half made, lacks an attribute
        try:
            try:
                return self._start(settings)
            except Exception as error:
                self._fail(error)
            return None
        finally:
            sys.unraisablehook = hook

    def _why_not(self, settings: LoaderSettings) -> Optional[str]:
        if settings.num_workers == 0 or settings == self._user:
            return None
        if self._epochs.workers_hang:
            return "Other workers brought no batch in time."
        file = moved(self._places) if self._places is not None else None
        if file is not None:
            return f"{os.path.basename(file)} is read through a file that is open already: forked workers would share its place."
        return why_not_now()

    def _start(self, settings: LoaderSettings) -> Inner:
        if self._retiring is not None:
            self._retiring.join()  # no third set of workers
        inner, self._epochs.waiting = self._epochs.waiting, None
        if inner is None or inner.settings != settings or inner.dead is not None:
            apart = self._user.num_workers > 0 and settings.num_workers == 0
            inner = Inner(self._loader, settings, self._epochs.seeds, settings != self._user, apart)
        try:
            inner.start(self._source)
        except BaseException as error:
            inner.feed.give_back(self._source, raised=settings != self._user)
            self._forget(error)
            raise
        if settings != self._user:
            adopt(inner)
        return inner

    def _advance(self) -> None:
        self._retire([self._inner])
        self._inner, self._following = self._following, None

    def _retire(self, inners: list[Inner]) -> None:
        """Ends workers in a thread: to join them takes milliseconds, and seconds where one hangs."""
        iterators = [inner.iterator for inner in inners if hasattr(inner.iterator, "_shutdown_workers")]
        self._retiring = threading.Thread(target=lambda: [end(iterator) for iterator in iterators], name=NAME, daemon=True)
        try:
            self._retiring.start()
        except RuntimeError:  # there can be no further thread
            self._retiring = None
            for iterator in iterators:
                end(iterator)

    def _goes_on(self, inner: Inner, error: BaseException) -> bool:
        """Whether the epoch goes on in spite of what `inner` raised; else that is the user's."""
        taken = inner.feed.taken
        if isinstance(error, StopIteration) and (inner.raised or not taken):
            if self._following is None:
                self.close()
                return False
            self._advance()
            return True
        if inner.settings != self._user and inner.settings.in_order and isinstance(error, Exception):
            self._fall_back(error)
            return True
        self._forget(error)
        inner.raised = True
        inner.feed.raised = None
        if isinstance(error, Exception) and taken:
            taken.popleft()
        return False

    def _fall_back(self, error: Exception) -> None:
        inners = [inner for inner in (self._following, self._inner) if inner is not None]
        self._epochs.workers_hang = self._epochs.workers_hang or "timed out" in str(error)
        for inner in inners:
            inner.feed.give_back(self._source, raised=True)
        self._retire(inners)
        self._inner = self._following = self._request = None
        self._keep(self._user)
        self._fail(error)

    def _keep(self, settings: LoaderSettings) -> None:
        self._epochs.settings = None if settings == self._user else settings

    def _forget(self, error: BaseException) -> None:
        """A sampler's exception can be a failure first and then the user's: its frames hold this iterator."""
        if self.failure is error:
            self.failure = None

    def _fail(self, error: BaseException) -> None:
        self.failure = error
        while error is not None:  # their frames hold what is to end
            error.__traceback__, error = None, error.__cause__ or error.__context__


class SwitchableLoader:
    """The user's loader, each epoch with the settings chosen last. All else is the user's loader's.

    Where the user's workers are persistent, iter() ends an epoch that still runs, as PyTorch does.
    """

    def __init__(self, loader: DataLoader, settings: Optional[LoaderSettings] = None) -> None:
        self.loader = loader
        self._epochs = Epochs(settings)
        self._last: Any = lambda: None

    def __iter__(self) -> SwitchableIterator:
        last = self._last()
        if last is not None and self.loader.persistent_workers:
            last.close()
        iterator = SwitchableIterator(self.loader, epochs=self._epochs).begin()
        self._last = weakref.ref(iterator)
        return iterator

    def __len__(self) -> int:
        return len(self.loader)

    def __getattr__(self, name: str) -> Any:
        if name == "loader":  # a copy in the making
            raise AttributeError(name)
        return getattr(self.loader, name)

    def switch(self, settings: LoaderSettings) -> None:
        """For the epoch that runs and those that follow."""
        self._epochs.settings = settings
        last = self._last()
        if last is not None:
            last.switch(settings)
