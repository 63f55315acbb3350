# SPDX-License-Identifier: Apache-2.0
"""The description of a DataLoader for messages, and the state of a watched one."""
from __future__ import annotations

import inspect
from collections.abc import Mapping
from typing import Any, NamedTuple, Optional

import torch
import torch.distributed

from .call_source import call_source
from .copies import CopyNotes
from .marks import first_dimension
from .recommended import SCHEMA, Recommendation
from .trial_workers import context_of_line, trial_start_method
from .session import Session
from .sites import Site
from .switchable import why_not_switchable
from .tuned_loader import TunedLoader

_SETTINGS = (
    "batch_size", "num_workers", "prefetch_factor", "pin_memory", "persistent_workers", "in_order", "drop_last", "timeout"
)


class Made(NamedTuple):
    """How a loader was made. Plain values, because scripts copy and pickle the loader's __dict__, where this is kept."""

    site: Site
    given: Optional[dict[str, Any]]  # the arguments; None: unknown
    parameters: list[str]  # of the class that the line calls, to name positional arguments; empty if the line calls something else


NOT_MADE = Made(Site(""), None, [])


def given_arguments(loader_class: type[Any], arguments: tuple[Any, ...], named: dict[str, Any], library: str = "") -> dict[str, Any]:
    """Returns the given arguments by parameter name: plain values as they are, others as "<class>". Omits a library's defaults."""
    given = {**dict(zip(parameters_of(loader_class), arguments)), **named}
    defaults = {name: one.default for name, one in inspect.signature(loader_class.__init__).parameters.items()} if library else {}
    return {name: _plain(value) for name, value in given.items() if name not in defaults or defaults[name] is not value}


def parameters_of(loader_class: type[Any]) -> list[str]:
    return list(inspect.signature(loader_class.__init__).parameters)[1:]


def _plain(value: Any) -> Any:
    return value if value is None or isinstance(value, (bool, int, float, str)) else f"<{type(value).__name__}>"


class WatchedLoader:
    """Kept as long as its DataLoader. `number` identifies the loader in its process; `group` is the number of the first loader that the
    script made at the same line and that this one replaces."""

    def __init__(self, number: int, group: int, loader: Any, budget: Optional[float], is_tuned: bool) -> None:
        self.number = number
        self.group = group
        self.description = {"group": group, **description(loader, budget)}
        self.is_tuned = is_tuned
        self.loads_itself = not loader.num_workers  # then the CPU time of next() is that of a batch
        self.tuned: Optional[TunedLoader] = None  # from its first epoch, if its settings can change
        self.recommendation: Optional[Recommendation] = None
        self.epochs = 0
        self.copies: Optional[CopyNotes] = CopyNotes(torch.Tensor)
        self.batch_bytes = 0  # of the largest batch while copies are recorded
        self._batch_size = loader.batch_size if isinstance(loader.batch_size, int) else None
        self._is_counted: Optional[bool] = None  # whether a batch's first dimension is its number of samples

    def samples(self, batch: Any) -> int:
        """The number of samples of a batch; 0 if unknown, as for nested tensors."""
        try:
            if self._is_counted is None:
                self._is_counted = self._batch_size is None or first_dimension(batch) == self._batch_size
            return first_dimension(batch) if self._is_counted or self._batch_size is None else self._batch_size
        except Exception:  # PyTorch takes a millisecond to raise it, so do not ask again
            self._is_counted, self._batch_size = False, self._batch_size or 0
            return 0

    def take_verdict(self, verdict: dict[str, Any]) -> None:
        """Thread-safe. Ignores a verdict of another schema, which a program of another version sends."""
        if verdict["schema"] == SCHEMA:
            self.recommendation = Recommendation.of(verdict, self.is_tuned)

    def note(self, batch: Any, session: Session) -> None:
        """Called for each batch while copies are recorded."""
        try:
            self.batch_bytes = max(self.batch_bytes, bytes_of(batch))
        except Exception:
            pass
        if self.copies is not None and not self.copies.step():
            self.post_copies(session)

    def post_copies(self, session: Session) -> None:
        if self.copies is not None:
            self.copies.stop()
            session.post("copies", loader=self.number, batch_bytes=self.batch_bytes, copies=self.copies.found())
            self.copies = None


def bytes_of(batch: Any) -> int:
    """Bytes of the tensors of a batch, which a worker sends in shared memory."""
    if isinstance(batch, torch.Tensor):
        return int(batch.numel() * batch.element_size())
    if isinstance(batch, Mapping):
        return sum(map(bytes_of, batch.values()))
    return sum(map(bytes_of, batch)) if isinstance(batch, (list, tuple)) else 0


def _group() -> tuple[Optional[int], Optional[int]]:
    distributed = torch.distributed
    if not distributed.is_available() or not distributed.is_initialized():
        return None, None
    return distributed.get_rank(), distributed.get_world_size()


def description(loader: Any, budget: Optional[float]) -> dict[str, Any]:
    """The fields of a "loader" message; feedrate/session.py documents them."""
    site, given, parameters = getattr(loader, "_feedrate_made", NOT_MADE)
    settings = {name: _plain(getattr(loader, name, None)) for name in _SETTINGS}
    settings["start_method"] = trial_start_method(loader)
    rank, ranks = _group()
    return {
        "site": site.line,
        "class": type(loader).__qualname__,
        "dataset": type(loader.dataset).__qualname__,
        "sampler": type(loader.sampler).__qualname__,
        "length": length_of(loader),
        "rank": rank,
        "ranks": ranks,
        "tune": budget,
        "given": given or {},
        "given_known": given is not None,
        "call": None if given is None else call_source(site, "DataLoader", parameters),
        "library": site.library,
        "context": context_of_line(loader),
        "settings": settings,
        "fixed": why_not_switchable(loader, within=True),
    }


def length_of(loader: Any) -> Optional[int]:
    """The length, asked only of PyTorch's own samplers: len() of another may compute, or draw random numbers."""
    indices = loader._index_sampler
    own = [indices, loader.sampler] if loader.batch_sampler is not None else [indices]
    if isinstance(loader.dataset, torch.utils.data.IterableDataset):
        return None
    return len(indices) if all(type(sampler).__module__.startswith("torch.") for sampler in own) else None
