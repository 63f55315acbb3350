# SPDX-License-Identifier: Apache-2.0
"""Decides whether other processes may load a loader's batches ahead, by what loading changes, and what the training changes.

The state of dataset, sampler, batch sampler and collate function is compared around some of the steps (fingerprint.py):
- Changes by a load would stay in the workers: a cache, a counter, a random generator.
- Changes by the training between two loads would come too late for batches that are loaded ahead: a size, a curriculum, a replay
  buffer, the weights of a sampler, a generator that both draw from.
The first kind is checked for num_workers=0, the second always. While batches are loaded ahead, a quick comparison precedes each of
them. For state that is too large for that, stores.py reads the code of the training loop. Items of the sampler of a loader with
num_workers=0 are themselves compared (sampler_ahead.py).
"""
from __future__ import annotations

import os
import time
from collections.abc import Collection
from typing import Any, Optional

from . import private_descriptors as descriptors
from . import stores, worker_state
from .fingerprint import take
from .random_states import States, are_equal, random_states
from .snapshot import Quick, Snapshot, first_change

_FIRST_LOADS = 3  # these may set up lasting state: open a file, fill in an attribute
_FULL_AT_FIRST = 10  # steps
_SHARE = 0.001  # of the training's time, after the first steps
# Names that change process-wide state, which is compared before each batch only if the user's code has one of them.
_OF_THE_PROCESS = frozenset({"chdir", "fchdir", "set_default_dtype", "set_default_tensor_type", "set", "reset"})
_DRAWS = (
    "Loading draws random numbers from the generators of the training process. Workers draw from their own: augmentation, and what the "
    "training draws, would be others. A script that has num_workers=1 accepts that, and is tuned from there."
)
_LOADS_WITH_TRAFFIC = 2  # consecutive loads over one connection, which rules out chance traffic of another thread


class StateCheck:
    """Checks one loader, without a reference to it. One thread calls, for each batch, before(), then about_to_load() if this process loads,
    and after()."""

    def __init__(self, loader: Any) -> None:
        self.reason: Optional[str] = None  # why nothing may be loaded ahead, for the user; None: allowed
        self._loads_itself = loader.num_workers == 0
        self._workers_stay = loader.num_workers > 0 and loader.persistent_workers
        self._touched: Any = ()
        self._loads = self._full = 0
        self._began = time.perf_counter()
        self._spent = 0.0  # seconds of full comparisons; quick ones precede each batch
        self.is_due = True
        self.own_workers: set[int] = set()  # process ids
        self._states: Optional[States] = None
        self._data: Optional[Snapshot] = None
        self._order: Optional[Snapshot] = None
        # Used while batches are loaded ahead: of the data, and of both data and order.
        self._watched: Optional[Snapshot] = None
        self._quick: list[tuple[Snapshot, Quick]] = []
        self._counts: descriptors.Counts = descriptors.tcp_counts() if self._loads_itself else {}
        self._known = frozenset(self._counts)
        self._traffic: dict[Any, int] = {}
        self._is_code_read = False
        self._named: Collection[str] = ()
        self._with_process = True
        self._offsets = descriptors.offsets() if loader.num_workers < 2 else None

    def end_epoch(self) -> None:
        """Forgets the state unless the workers persist: each epoch forks new workers, with the state of that moment."""
        if not self._workers_stay:
            self._data = None
        self.forget()

    def forget(self) -> None:
        self._order = self._watched = None
        self._quick = []

    def before(self, loader: Any, is_asked: bool) -> None:
        """Looks for changes by the training since the last batch. `is_asked`: the sampler's own state may have changed since then;
        sampler_ahead.py compares its items instead."""
        for snapshot, quick in self._quick:
            self._note_training(snapshot.change_since(quick))
        if self.is_due or self._data is None:
            self._before_fully(loader, is_asked)

    def _before_fully(self, loader: Any, is_asked: bool) -> None:
        begun = time.perf_counter()
        if self.is_due and self._data is not None and self.reason is None:
            self._note_training(first_change(self._data, self._take(loader)))
            if self._order is not None and not is_asked and self.reason is None:
                self._note_training(first_change(self._order, _order_of(loader)))
        if self._data is None:
            self._touched = ()
            self._data = self._take(loader).released()
            for hazard in self._data.hazards:
                if self._loads_itself or hazard.is_shared:
                    self._refuse(f"{hazard.path} is {hazard.what}.")
        self._spent += time.perf_counter() - begun

    def about_to_load(self, loader: Any, touched: Any) -> None:
        if not self.is_due:
            return
        begun = time.perf_counter()
        self._touched = touched if type(touched) is list else ()
        self._data = self._take(loader).released()
        self._counts = descriptors.tcp_counts()
        self._states = random_states()
        self._spent += time.perf_counter() - begun

    def after(self, loader: Any, loaded_here: bool, is_ahead: bool) -> None:
        """`loaded_here`: this process loaded the batch. `is_ahead`: other processes have loaded later batches."""
        begun = time.perf_counter()
        self._full += self.is_due
        self._loads += loaded_here
        if loaded_here and self.is_due:
            self._compare_loading(loader)
        was_due, self.is_due = self.is_due, self._full < _FULL_AT_FIRST or self._spent < _SHARE * (begun - self._began)
        if is_ahead and self._loads_itself and self._order is not None:
            pass  # keeps the state in which it was asked ahead
        elif self.is_due or is_ahead and self._order is None:
            self._order = _order_of(loader)
        elif not is_ahead:
            self._order = None
        if is_ahead:
            self._watch(loader, loaded_here)
        else:
            self._watched, self._quick = None, []
        if was_due:
            self._spent += time.perf_counter() - begun

    def _watch(self, loader: Any, loaded_here: bool) -> None:
        """Watches the data as the workers were forked with it; only loads of this process may change it."""
        if self._watched is None or loaded_here:
            self._watched = self._take(loader)
            self._quick = [(self._watched, self._watched.quick(self._with_process))]
        if not self._loads_itself and self._order is not None:
            self._quick[1:] = [(self._order, self._order.quick())]

    def _take(self, loader: Any) -> Snapshot:
        return take(_data_of(loader), self._touched, named=self._named)

    def _note_training(self, change: Optional[str]) -> None:
        if change is not None:
            self._refuse(f"The training changes {change} between two batches; batches that are loaded ahead would not see it.")

    def _note_loading(self, change: Optional[str]) -> None:
        if change is not None:
            self._refuse(f"Loading changes {change}; workers would change copies of their own.")

    def _compare_loading(self, loader: Any) -> None:
        if self._states is not None and not are_equal(self._states, random_states()):
            self._refuse(_DRAWS)
        self._states = None
        after = self._take(loader)
        change = first_change(self._data, after) if self._data is not None and self._loads > _FIRST_LOADS else None
        self._note_loading(change)
        self._data = after.released()
        counts = descriptors.tcp_counts()
        for key in counts:
            moves = counts[key] != self._counts.get(key, (0, 0))
            self._traffic[key] = self._traffic.get(key, 0) + 1 if moves else 0
            if self._traffic[key] >= _LOADS_WITH_TRAFFIC:
                self._refuse(self._connection_text(key))

    def found_outside(self) -> Optional[str]:
        """Why no other settings may be tried, by checks that run only before a trial: moved offsets of files (an audit tells whether they
        matter if each worker has its own), and the findings of the loader's own workers. None: they may."""
        return self.moved_file(is_shared=self._loads_itself) or worker_state.found(self.own_workers)

    def changed_order(self, loader: Any) -> Optional[str]:
        """The path of a change in the sampler since batches were loaded ahead, or None."""
        return None if self._order is None else first_change(self._order, _order_of(loader))

    def changed_by_the_training(self, loader: Any) -> Optional[str]:
        """Runs once. Returns the reason if the training's code stores into large parts of the data, else None. From now on, containers that
        this code names are compared whole."""
        if self._is_code_read:
            return None
        self._is_code_read = True
        frames = stores.users_frames()
        found = stores.of_the_training(frames)
        self._named = found.names
        self._with_process = stores.may_use(_OF_THE_PROCESS, frames)
        self._touched = ()
        self._data = self._take(loader)
        path = stores.stored_part(self._data, found, frames)
        self._data.release()
        return path and f"The training's code changes {path}, of which a sample is compared; batches that are loaded ahead would not see it."

    def moved_file(self, is_shared: bool = False) -> Optional[str]:
        """The reason if loading has moved the offset of a file, else None."""
        file = None if self._offsets is None else descriptors.moved(self._offsets, is_shared)
        return file and f"{file} is read on through a descriptor that is open already; each worker would read on for itself."

    def _connection_text(self, key: Any) -> str:
        if key in self._known:
            return (
                f"The dataset uses a connection that was opened before the workers start ({descriptors.peer(key[0])}); "
                "open it in worker_init_fn or in the first __getitem__."
            )
        return (
            f"Loading has opened a connection in this process ({descriptors.peer(key[0])}), which forked workers would share; "
            "with num_workers above 0 from the start each worker opens its own."
        )

    def _refuse(self, reason: str) -> None:
        self.reason = self.reason or reason
        self.forget()


def _data_of(loader: Any) -> dict[str, Any]:
    environment = getattr(os.environ, "_data", None)  # private dictionary of the variables
    roots = {"dataset": loader.dataset, "collate_fn": loader.collate_fn}
    return {**roots, "the environment": environment, "the working directory": os.getcwd()}


def _order_of(loader: Any) -> Snapshot:
    roots = {"batch_sampler": loader.batch_sampler, "sampler": loader.sampler, "generator": loader.generator}
    return take(roots, skipped=(loader.dataset,))
