# SPDX-License-Identifier: Apache-2.0
"""Changes the settings of a PyTorch DataLoader within an epoch.

The sampler of the user's loader is iterated once. An inner DataLoader, with the user's arguments and other settings, takes its indices
from a feed. A switch stops that feed, starts another inner loader over the remaining indices, hands out the outstanding batches of the
former one, and continues with the new one. So each batch comes once and in order, and the training waits for the start of workers,
not for an empty pipeline.

From num_workers=0 the first switch is an audit: the workers load the next batches, and the training process loads and trains the
same ones itself, until two batches of each worker are known to be equal. Only then does the training get workers' batches, and one in
200 of them is loaded a second time and compared. A loader with workers never gets num_workers=0: all later workers would inherit what
its dataset opens in the training process. state_check.py finds other reasons against loading ahead.

Batches, their order, and the random states of the training process equal those of an unwatched run. Three things depend on the
settings, as in PyTorch:
- A worker's draws depend on its number and its seed, so the augmentation of a sample depends on the worker that loads it. New workers
  get the seed of the epoch's first workers. A dataset that draws with num_workers=0 uses the generators of the training process,
  which workers would not; such a loader keeps its settings.
- The sampler of a loader with workers is asked prefetch_factor * num_workers batches ahead. If it draws from the global generators
  for each batch, that is detected before the first switch, which is then refused; rare draws are not detected. After an epoch that
  was left early, the sampler's own torch.Generator can be further ahead. From num_workers=0 a forked copy of the sampler's iterator
  is asked ahead (sampler_ahead.py), and the iterator itself when a batch is due.
- With in_order=False the batches of one setting come in the order in which they are ready, after those of the former setting.

Private attributes of PyTorch, each with a default if it is missing:
- DataLoader._iterator: whether persistent workers already run; then an epoch draws no seed.
- DataLoader._get_iterator: whether a subclass makes its own iterators.
- iterator._data_queue: whether a worker has sent a batch.
- iterator._shutdown_workers: ends workers in another thread. The public way is to drop the iterator, on whichever thread that is.
"""
from __future__ import annotations

import sys
import threading
import time
import weakref
from collections.abc import Iterator
from typing import Any, Optional

import torch
from torch.utils.data import DataLoader

from .audit import AUDITED_BATCHES, OtherItem, WorkersAudit
from .epochs import Epochs, Refusal
from .inner_loader import Inner, InnerLoader, LoaderSettings, Raised, Source
from .own_threads import NAME
from .private_descriptors import free_descriptors
from .random_states import are_equal, copy_of, draw_seed, random_states
from .sampler_ahead import SamplerAhead
from .state_check import StateCheck
from .switchable import sampler_of_batches
from .trial_guard import FORBIDDEN
from .trial_workers import LEAST_PATIENCE_S, PATIENCE_BATCHES, end, why_not_now

__all__ = ["Epochs", "InnerLoader", "LoaderSettings", "Refusal", "SwitchableIterator", "SwitchableLoader"]


_MOST_FRUITLESS_AUDITS = 3
_DESCRIPTORS_EACH = 64  # batches
_LEAST_DESCRIPTORS = 0.5  # share of those that were free at a worker's first batch


class SwitchableIterator:
    """Iterates over one epoch of `loader` as iter(loader) does: the same batches, order, random states and exceptions. Call begin() once,
    first: it iterates the user's sampler and starts workers; its exceptions are the user's.

    A batch that fails with trial settings (workers do not start or die, or raise) is loaded again with the user's settings, which then
    stay; only what fails with those is raised. With in_order=False an error is raised at once, because it is unknown which batches are
    missing. `failure`: why the last switch failed or was undone.

    One thread iterates; any thread may call switch() and read the properties. An epoch begins with `settings` if an earlier one of the
    same `epochs` has shown that the sampler can be asked ahead, else with the user's for one batch. Without `epochs`, persistent workers
    end with the epoch.
    """

    def __init__(self, loader: DataLoader, settings: Optional[LoaderSettings] = None, epochs: Optional[Epochs] = None) -> None:
        self.failure: Optional[BaseException] = None
        self._inner: Optional[Inner] = None  # hands out batches
        self._following: Optional[Inner] = None  # replaces `_inner` once that has nothing outstanding
        self._audit: Optional[WorkersAudit] = None
        self._ahead: Optional[SamplerAhead] = None  # the source of trial workers of a loader with num_workers=0
        self._request: Optional[LoaderSettings] = None
        self._retiring: Optional[threading.Thread] = None
        self._ended = False
        self._loader = loader
        self._epochs = epochs or Epochs(settings)
        self._user = LoaderSettings.of(loader)
        self._sampler = sampler_of_batches(loader)
        self._source = Source(iter(()))
        self._batches = 0
        self._free_at_first: Optional[int] = None
        if self._epochs.check is None:
            self._epochs.check = StateCheck(loader)
        self._check = self._epochs.check

    def begin(self) -> SwitchableIterator:
        self._source = Source(self._ask_for_indices())
        if self._user.num_workers:  # without workers PyTorch asks the sampler at the first next()
            self._prepare()
        return self

    def __iter__(self) -> SwitchableIterator:
        return self

    def __len__(self) -> int:
        return len(self._sampler)

    def __next__(self) -> Any:
        begun = time.monotonic()
        if self._ahead is not None and not self._source.peek():  # before comparing the state, because the sampler may change it
            self._end_audit()
            self.close()
        self._look_at_state()
        inner = self._inner
        if inner is None or self._request is not None or self._audit is not None:
            inner = self._prepare()
        try:
            batch = inner.next()
        except BaseException as error:
            if not self._goes_on(inner, error):
                raise
        else:
            return self._have(inner, batch, begun)
        return self.__next__()

    def _have(self, inner: Inner, batch: Any, begun: float) -> Any:
        item = inner.feed.taken.popleft()
        is_checked = inner.settings != self._user and self._user.num_workers == 0
        if is_checked and not self._is_due(item):
            return self.__next__()
        if self._following is not None and not inner.feed.taken and not inner.raised:
            self._advance()
        if is_checked:
            batch = self._taken_from_trial(item, batch)
        elif self._audit is not None:
            self._own_batch(self._audit, item, batch)
        self._batches += 1
        self._watch(lambda: self._check.after(self._loader, inner.settings.num_workers == 0, self._is_ahead))
        self._epochs.slowest_s = max(self._epochs.slowest_s, time.monotonic() - begun)
        return batch

    def _is_due(self, item: Any) -> bool:
        """Whether the sampler yields the item that it yielded when asked ahead; if not, the trial ends."""
        if self._ahead is not None and self._ahead.passes(self._source.look_at()):
            self._source.pull()
            return True
        self._refuse_sampler()
        return False

    def _refuse_sampler(self) -> None:
        path = self._check.changed_order(self._loader)
        self._refuse(f"The sampler gives other samples where it is asked ahead; {path or 'something'} has changed by the time they are due.")

    def switch(self, settings: LoaderSettings) -> None:
        """Requests other settings from the next __next__() on. The request waits while the former setting has outstanding batches; the last
        request wins."""
        self._request = settings

    @property
    def settings(self) -> LoaderSettings:
        return self._inner.settings if self._inner is not None else self._first()

    @property
    def outstanding(self) -> int:
        """The batches that the former setting must still hand out."""
        return len(self._inner.feed.taken) if self._inner is not None and self._following is not None else 0

    def close(self) -> None:
        """Ends the epoch and its workers, except persistent ones that `epochs` can reuse."""
        if self._inner is not None and self._following is None and self._inner.settings.persistent_workers:
            self._epochs.waiting = self._inner
        if self._audit is not None:
            self._drop_audit()
        self._ask_no_longer()
        self._inner = self._following = None
        self._ended = True
        if self._epochs.check is not None:
            self._epochs.check.end_epoch()

    __del__ = close

    @property
    def _is_ahead(self) -> bool:
        """Whether trial workers load, or have loaded, the next batches."""
        inners = (self._inner, self._following, self._audit.inner if self._audit is not None else None)
        return any(inner is not None and inner.settings != self._user for inner in inners)

    def _look_at_state(self) -> None:
        """Checks whether the state changed since batches were loaded ahead. If so, they are loaded again."""
        if self._epochs.refusal is not None:
            self._check.forget()
            return
        self._watch(lambda: self._check.before(self._loader, self._ahead is not None))
        if self._user.num_workers == 0 and not self._is_trial:
            self._watch(self._look_at_next)

    def _look_at_next(self) -> None:
        if not self._check.is_due:
            self._check.about_to_load(self._loader, ())
        elif self._ask_sampler():
            self._check.about_to_load(self._loader, self._source.look_at())

    def _ask_sampler(self) -> bool:
        """Asks for the next indices, as the current setting is about to do. Returns whether there are any."""
        if self._epochs.sampler_draws or self._source.taken == 0:  # at the beginning of an epoch a sampler may draw its seed
            return self._source.peek()
        before = random_states()
        known = self._source.peek()
        if not are_equal(before, random_states()):
            self._epochs.sampler_draws = True
        elif known and self._epochs.sampler_draws is None:
            self._epochs.sampler_draws = False
        return known

    @property
    def _is_trial(self) -> bool:
        return self._inner is not None and self._inner.settings != self._user

    def _watch(self, look: Any) -> None:
        """Runs a check of the state. If the check fails or finds a reason, batches may not be loaded ahead."""
        if self._epochs.refusal is None:
            try:
                look()
            except Exception as error:
                self._refuse(f"The state of the dataset cannot be compared ({type(error).__name__}: {error}).")
            else:
                if self._check.reason is not None:
                    self._refuse(self._check.reason)

    def _refuse(self, reason: str) -> None:
        self._epochs.refusal = Refusal(reason)
        self._fail(self._epochs.refusal)
        self._request = None
        if self._audit is not None:
            self._drop_audit()
        if self._user.num_workers == 0 and self._is_ahead:
            self._fall_back(self._epochs.refusal)

    def _ask_for_indices(self) -> Iterator[Any]:
        """The sampler's iterator. It draws and makes iterators in the order of DataLoader.__iter__ with the user's settings."""
        indices: Iterator[Any] = iter(self._sampler)
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
        is_known = self._epochs.sampler_draws is False and (self._epochs.is_audited or self._user.num_workers > 0)
        return chosen.completed(self._loader) if chosen is not None and is_known else self._user

    def _prepare(self) -> Inner:
        """The inner loader of the next batch, after starting, switching or replacing it as needed."""
        if self._ended:
            raise StopIteration
        if self._inner is None:
            return self._open()
        if self._audit is not None:
            if self._epochs.audited_batches >= self._audit.needed:
                self._pass_audit()
        elif self._request is not None and self._following is None:
            self._switch(self._inner, self._request.completed(self._loader))
        return self._inner or self._open()

    def _open(self) -> Inner:
        if self._user.num_workers:
            self._source.peek()  # workers would ask for it now
        if self._first() == self._user and self._request is None:
            self._request = self._epochs.settings
        first = self._first()
        inner = self._try(first) if first != self._user else None
        self._inner = self._start(self._user) if inner is None else inner
        return self._inner

    def _switch(self, inner: Inner, wanted: LoaderSettings) -> None:
        self._request = self.failure = None
        self._keep(inner.settings)
        if wanted == inner.settings or not self._may_ask_ahead():
            return
        if self._source.peek():
            if self._user.num_workers == 0 and not self._epochs.is_audited:
                self._begin_audit(wanted)
                return
            self._epochs.auditor.ask_for_next()
            self._following = self._try(wanted)
            if self._following is None:
                return
            inner.feed.source = None
            if not inner.feed.taken:
                self._advance()
        self._keep(wanted)

    def _begin_audit(self, wanted: LoaderSettings) -> None:
        if self._epochs.fruitless_audits >= _MOST_FRUITLESS_AUDITS:
            self._refuse("The epochs end before a worker brings a batch, which is compared first.")
            return
        inner = self._try(wanted)
        if inner is not None and self._ahead is not None:
            self._audit = WorkersAudit(inner, self._ahead, self._patience_s)

    @property
    def _patience_s(self) -> float:
        return max(LEAST_PATIENCE_S, PATIENCE_BATCHES * self._epochs.slowest_s)

    def _own_batch(self, audit: WorkersAudit, item: Any, batch: Any) -> None:
        """Records the training process's own batch during an audit, and compares the workers' batches that are ready."""
        try:
            audit.note(self._source.taken - 1, item, batch)
            while self._audit is audit and audit.has_begun(self._source.taken) and audit.inner.may_be_ready():
                self._compare_next(audit)
            audit.check_patience()
        except Exception as error:
            self._refuse(_reason_of(error))

    def _compare_next(self, audit: WorkersAudit) -> None:
        """Waits for the workers' next batch. May end the audit."""
        try:
            difference = audit.compare_next()
        except OtherItem:
            self._refuse_sampler()
            return
        if difference is not None:
            self._differ(difference)
            return
        self._epochs.audited_batches += 1
        self._epochs.auditor.identical += 1

    def _pass_audit(self) -> None:
        """Ends the audit: from now on the training gets the batches of the audited workers."""
        self._compare_rest()
        audit = self._audit
        if audit is None:
            return
        self._epochs.is_audited = True
        self._keep(audit.inner.settings)
        if not audit.inner.feed.taken:
            self._drop_audit()
            return
        self._audit = None
        self._inner = audit.inner

    def _compare_rest(self) -> None:
        """Compares the batches that the workers have begun and the training process has loaded. Waits for them."""
        try:
            while self._audit is not None and self._audit.has_begun(self._source.taken):
                self._compare_next(self._audit)
        except Exception as error:
            self._refuse(_reason_of(error))

    def _end_audit(self) -> None:
        """Ends the audit with the epoch. The next epoch continues it."""
        before = self._epochs.audited_batches
        self._compare_rest()
        if self._audit is not None:
            self._epochs.fruitless_audits += self._epochs.audited_batches == before == 0
            if self._epochs.audited_batches >= self._audit.needed:
                self._epochs.is_audited = True
                self._keep(self._audit.inner.settings)
            self._drop_audit()

    def _drop_audit(self) -> None:
        audit, self._audit = self._audit, None
        if audit is not None:
            audit.inner.feed.source = None
            self._ask_no_longer()
            self._retire([audit.inner])

    def _taken_from_trial(self, item: Any, batch: Any) -> Any:
        """Audits a batch of a trial worker, if due. Only for loaders with num_workers=0."""
        if self._epochs.auditor.is_due():
            batch = self._audited(item, batch)
        if self._batches % _DESCRIPTORS_EACH == 0:
            free = free_descriptors()
            self._free_at_first = free if self._free_at_first is None else self._free_at_first
            if free < _LEAST_DESCRIPTORS * self._free_at_first:
                self._refuse("The script keeps batches, each of which holds a file descriptor where a worker has loaded it.")
        return batch

    def _audited(self, item: Any, batch: Any) -> Any:
        try:
            batch, difference = self._epochs.auditor.compare(self._loader, item, batch)
        except Exception as error:
            self._refuse(_reason_of(error))
            return batch
        if difference is not None:
            self._differ(difference)
        return batch

    def _differ(self, path: str) -> None:
        self._epochs.difference = f"{path}, {self._batches} batches after the begin of the epoch"
        self._refuse(self._check.moved_file() or f"A worker has loaded another batch than the training process does: {path} differs.")

    def _may_ask_ahead(self) -> bool:
        try:
            self._ask_sampler()
        except Exception as error:
            self._fail(error)
            return False
        if self._epochs.sampler_draws:
            self._refuse("The sampler draws from global generators for each batch: asked ahead it draws others.")
        return not self._epochs.sampler_draws

    def _try(self, settings: LoaderSettings) -> Optional[Inner]:
        refusal = self._why_not(settings)
        if refusal is not None:
            self._fail(refusal)
            return None
        hook, sys.unraisablehook = sys.unraisablehook, lambda _: None  # a half-made iterator of PyTorch lacks an attribute when it is freed
        try:
            try:
                return self._start(settings)
            except Exception as error:
                self._fail(error)
            return None
        finally:
            sys.unraisablehook = hook

    def _why_not(self, settings: LoaderSettings) -> Optional[BaseException]:
        if settings == self._user:
            return None
        if self._epochs.refusal is not None:
            return Refusal(str(self._epochs.refusal))
        changed = self._check.changed_by_the_training(self._loader)
        found = self._check.found_outside() or (changed if self._user.num_workers == 0 else None)
        if found is not None:
            self._epochs.refusal = Refusal(found)
            return Refusal(found)
        if settings.num_workers == 0:
            text = "Loading in the training process would leave behind what all later workers inherit." if self._user.num_workers else None
        elif self._user.num_workers == 0 and not settings.in_order:
            text = "Batches in another order cannot be compared with those of the training process."
        else:
            text = why_not_now()
        return None if text is None else RuntimeError(text)

    def _start(self, settings: LoaderSettings) -> Inner:
        if self._retiring is not None:
            self._retiring.join()  # avoids a third set of workers
        is_trial = settings != self._user
        inner, self._epochs.waiting = self._epochs.waiting, None
        if inner is None or inner.settings != settings:
            twice = 0 if self._epochs.is_audited else AUDITED_BATCHES
            inner = Inner(self._loader, settings, self._epochs.seeds, is_trial, self._epochs.slowest_s, twice)
        source: Any = self._source
        try:
            if is_trial and self._user.num_workers == 0:
                source = self._ahead = self._ahead or self._asked_ahead()
            inner.start(source)
        except BaseException as error:
            inner.feed.give_back(source, raised=is_trial)
            if not self._is_trial:
                self._ask_no_longer()
            self._forget(error)
            raise
        processes = [worker.pid for worker in getattr(inner.iterator, "_workers", ())]
        if is_trial:
            self._epochs.workers = processes
        else:
            self._check.own_workers.update(processes)
        return inner

    def _asked_ahead(self) -> SamplerAhead:
        self._source.peek()  # as the training process does at this point
        return SamplerAhead(self._source, self._patience_s)

    def _ask_no_longer(self) -> None:
        if self._ahead is not None:
            self._ahead.end()
        self._ahead = None

    def _advance(self) -> None:
        if self._inner is not None:
            self._retire([self._inner])
        self._inner, self._following = self._following, None
        if not self._is_trial:
            self._ask_no_longer()

    def _retire(self, inners: list[Inner]) -> None:
        """Ends workers in a thread, because joining them takes milliseconds, or seconds if one hangs. While the interpreter exits no
        thread can start; the workers end with the process."""
        if sys.is_finalizing():
            return
        iterators = [inner.iterator for inner in inners if hasattr(inner.iterator, "_shutdown_workers")]
        self._retiring = threading.Thread(target=_end_all, args=(iterators,), name=NAME, daemon=True)
        try:
            self._retiring.start()
        except RuntimeError:  # the limit of threads is reached
            self._retiring = None
            _end_all(iterators)

    def _goes_on(self, inner: Inner, error: BaseException) -> bool:
        """Whether the epoch continues after an exception of `inner`. If not, the exception is the user's."""
        taken = inner.feed.taken
        if isinstance(error, StopIteration) and (inner.raised or not taken):
            if self._following is None:
                if self._is_trial and self._ahead is not None and self._source.peek():
                    if type(self._source.look_at()) is Raised:  # the user must get the sampler's exception
                        self._fall_back(error)
                    else:
                        self._refuse_sampler()
                    return True
                self._end_audit()
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
        if self._epochs.refusal is None and ("timed out" in str(error) or FORBIDDEN in str(error)):
            error = self._epochs.refusal = Refusal(_reason_of(error))
        for inner in inners:
            if self._ahead is None:  # otherwise the training process has not asked for these items
                inner.feed.give_back(self._source, raised=True)
        self._ask_no_longer()
        self._retire(inners)
        self._inner = self._following = self._request = None
        self._keep(self._user)
        self._fail(error)

    def _keep(self, settings: LoaderSettings) -> None:
        self._epochs.settings = None if settings == self._user else settings

    def _forget(self, error: BaseException) -> None:
        """Drops the reference to an exception of the sampler that is raised to the user: its frames refer to this iterator."""
        if self.failure is error:
            self.failure = None

    def _fail(self, error: BaseException) -> None:
        self.failure = error
        link: Optional[BaseException] = error
        while link is not None:  # drops their frames, which keep workers and iterators alive
            link.__traceback__, link = None, link.__cause__ or link.__context__


def _end_all(iterators: list[Any]) -> None:
    for iterator in iterators:
        end(iterator)


def _reason_of(error: Exception) -> str:
    """The reason for the user. PyTorch's text of a worker's exception ends with the exception itself."""
    text = str(error).strip().splitlines()
    last = text[-1].strip() if text else ""
    if FORBIDDEN in last:
        return last.partition(": ")[2]
    if "Bad file descriptor" in last:
        return (
            f"The dataset uses a connection that was opened before the workers start ({last}); "
            "open it in worker_init_fn or in the first __getitem__."
        )
    return f"Trial workers fail: {last or type(error).__name__}."


class SwitchableLoader:
    """The user's loader, with the settings chosen last in each epoch. Other attributes are those of the user's loader.

    If the user's workers are persistent, iter() ends a running epoch, as PyTorch does.
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
        if name == "loader":  # the object is being copied
            raise AttributeError(name)
        return getattr(self.loader, name)

    def switch(self, settings: LoaderSettings) -> None:
        """Sets the settings of the current epoch and of later ones."""
        self._epochs.settings = settings
        last = self._last()
        if last is not None:
            last.switch(settings)
