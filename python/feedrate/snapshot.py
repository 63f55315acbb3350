# SPDX-License-Identifier: Apache-2.0
"""The result of a walk over the state of a loader (fingerprint.py). It can be compared with another walk, or within microseconds with
the same objects a step later."""
from __future__ import annotations

import contextvars
import operator
import os
import types
from collections.abc import Mapping
from itertools import chain
from typing import Any, NamedTuple, Optional

import torch

PRIMITIVES = (type(None), bool, int, complex, str, type(Ellipsis), type(NotImplemented), range, slice)
_PROCESS = ("the working directory", "the default dtype", "the context variables")  # shared by all code of a process


class Quick(NamedTuple):
    """A quick state. `values` keeps references, so that no other object gets the id of one."""

    values: list[Any]  # of all dictionaries, lists and globals
    sizes: list[int]  # of these, and of large containers
    tensors: list[tuple[int, int]]
    arrays: list[bytes]
    generators: list[bytes]
    process: tuple[Any, ...]


class Hazard(NamedTuple):
    """State that does not work in a forked process. `is_shared`: state outside of all processes, which several of them would change."""

    path: str
    what: str
    is_shared: bool = False


class Snapshot:
    """`entries`: (index of the parent entry, key in the parent, token), the roots first. `is_whole`: the walk reached no bound."""

    def __init__(self) -> None:
        self.entries: list[tuple[int, Any, Any]] = []
        self.hazards: list[Hazard] = []
        self.is_whole = True
        # The objects that quick() checks, each with the index of its entry.
        self.dicts: list[tuple[int, Mapping[Any, Any]]] = []  # attributes, and small dictionaries
        self.lists: list[tuple[int, Any]] = []  # small ones
        self.names: list[tuple[int, tuple[Mapping[str, Any], str]]] = []  # the globals that the user's functions name
        self.tensors: list[tuple[int, torch.Tensor]] = []
        self.arrays: list[tuple[int, Any]] = []  # small ones
        self.containers: list[tuple[int, Any]] = []  # large ones
        self.generators: list[tuple[int, torch.Generator]] = []
        self.files: list[tuple[int, Any]] = []
        self.sampled: list[tuple[int, Any]] = []  # quick() does not see all changes of these
        self._elements: Optional[list[Any]] = None  # views of the current elements of dictionaries and lists

    def name(self, index: int) -> str:
        while not isinstance(self.entries[index][1], str) and self.entries[index][0] >= 0:
            index = self.entries[index][0]
        return str(self.entries[index][1])

    def path(self, index: int) -> str:
        parts: list[str] = []
        while index >= 0:
            index, key, _ = self.entries[index]
            parts.append(key if isinstance(key, str) else f"[{key!r}]")
        return ".".join(reversed(parts)).replace(".[", "[")

    def release(self) -> None:
        """Drops all references to the objects. quick() is useless then."""
        lists: tuple[list[Any], ...] = (self.dicts, self.lists, self.names, self.tensors, self.arrays, self.containers)
        for held in (*lists, self.generators, self.files, self.sampled):
            held.clear()
        self._elements = None

    def released(self) -> Snapshot:
        self.release()
        return self

    def quick(self, with_process: bool = False) -> Quick:
        """The part of the state that changes when objects of the walk get other attributes, elements, sizes, or contents by PyTorch.
        `with_process`: includes process-wide state."""
        if self._elements is None:
            self._elements = [_values_of(found) for _, found in self.dicts] + [found for _, found in self.lists]
        values = list(chain.from_iterable(self._elements))
        values += [module.get(name) for _, (module, name) in self.names]
        return Quick(
            values,
            [*map(len, self._elements), *(len(container) for _, container in self.containers)],
            _versions(self.tensors),
            _contents(self.arrays),
            _states(self.generators),
            _process_state() if with_process else (),
        )

    def is_as(self, before: Quick) -> bool:
        """Whether quick() would return `before`, without building it: this runs before each batch, with cold caches."""
        elements, sizes = self._elements, before.sizes
        if elements is None or [*map(len, elements), *(len(container) for _, container in self.containers)] != sizes:
            return False
        values = iter(before.values)  # map() takes none once the elements are exhausted
        return (
            all(map(operator.is_, chain.from_iterable(elements), values))
            and (not self.names or all(module.get(name) is next(values) for _, (module, name) in self.names))
            and (not self.tensors or _versions(self.tensors) == before.tensors)
            and (not self.arrays or _contents(self.arrays) == before.arrays)
            and (not self.generators or _states(self.generators) == before.generators)
            and (not before.process or _process_state() == before.process)
        )

    def change_since(self, before: Quick) -> Optional[str]:
        return None if self.is_as(before) else self._change(before, self.quick(with_process=bool(before.process)))

    def _change(self, before: Quick, after: Quick) -> Optional[str]:
        change = self._changed_value(before, after)
        if change is None and before.process != after.process:
            change = next(name for name, old, new in zip(_PROCESS, before.process, after.process) if old != new)
        groups: list[tuple[list[Any], list[Any], list[Any]]] = [
            (self.tensors, before.tensors, after.tensors),
            (self.arrays, before.arrays, after.arrays),
            (self.generators, before.generators, after.generators),
        ]
        for watched, olds, news in groups:
            for (index, _), old, new in zip(watched, olds, news):
                if change is None and old != new:
                    change = self.path(index)
        return change

    def _changed_value(self, before: Quick, after: Quick) -> Optional[str]:
        begin = now = 0
        held: list[Any] = [*self.dicts, *self.lists]
        for (index, found), size, new_size in zip(held, before.sizes, after.sizes):
            old, new = before.values[begin : begin + size], after.values[now : now + new_size]
            begin, now = begin + size, now + new_size
            new = _without_caches(found, old, new)
            if len(old) != len(new) or not all(map(_is_same, old, new)):
                return self._named(index, old, new)
        for (index, (_, name)), old, new in zip(self.names, before.values[begin:], after.values[now:]):
            if not _is_same(old, new):
                return f"{self.path(index)}.{name}"
        rest = len(held)
        for (index, _), size, new_size in zip(self.containers, before.sizes[rest:], after.sizes[rest:]):
            if size != new_size:
                return self.path(index)
        return None

    def _named(self, index: int, old: list[Any], new: list[Any]) -> str:
        attributes = next((found for entry, found in self.dicts if entry == index and len(found) == len(new)), {})
        position = next((number for number, pair in enumerate(zip(old, new)) if not _is_same(*pair)), len(old))
        name = list(attributes)[position] if position < len(attributes) else None
        return ".".join([self.path(index), *([name] if isinstance(name, str) else [])])


def first_change(before: Snapshot, after: Snapshot) -> Optional[str]:
    """The path of the first entry that differs, or None."""
    for index, (old, new) in enumerate(zip(before.entries, after.entries)):
        if old != new:
            return (after if old[:2] == new[:2] else before).path(index)
    if len(before.entries) == len(after.entries) or not (before.is_whole and after.is_whole):
        return None
    longer = max(before, after, key=lambda one: len(one.entries))
    return longer.path(min(len(before.entries), len(after.entries)))


def _values_of(found: Mapping[Any, Any]) -> Any:
    return dict.values(found) if isinstance(found, dict) else found.values()


def _without_caches(found: Any, old: list[Any], new: list[Any]) -> list[Any]:
    """`new` without __slotnames__, which Python adds to a class at its first pickle."""
    if type(found) is not types.MappingProxyType or "__slotnames__" not in found or len(new) != len(old) + 1:
        return new
    position = list(found).index("__slotnames__")
    return new[:position] + new[position + 1 :]


def _versions(tensors: list[tuple[int, torch.Tensor]]) -> list[tuple[int, int]]:
    return [(tensor._version, tensor.data_ptr()) for _, tensor in tensors]


def _contents(arrays: list[tuple[int, Any]]) -> list[bytes]:
    return [bytes(array) for _, array in arrays]


def _states(generators: list[tuple[int, torch.Generator]]) -> list[bytes]:
    return [bytes(generator.get_state().numpy()) for _, generator in generators]


def _process_state() -> tuple[Any, ...]:
    return os.getcwd(), torch.get_default_dtype(), tuple(map(id, contextvars.copy_context().values()))


def _is_same(left: Any, right: Any) -> bool:
    return left is right or (type(left) is type(right) and type(left) in (*PRIMITIVES, float, bytes) and left == right)
