# SPDX-License-Identifier: Apache-2.0
"""The state that a dataset, a sampler or a collate function keeps in this process, as a list that can be compared.

take() walks attributes, containers, closures, and the module globals that functions of the user's own code name. Nothing of the user's
is called: no property, no __len__, no __eq__, no __hash__. The walk is bounded by the number of entries and by time. Of a large
container, array or tensor it has a sample: both ends, a stride, and the places that the caller names (the indices of the samples that
are loaded next). Tensors also have their version, which each change in place by PyTorch increments.

content() is the same of a batch, without anything that depends on where in memory it lies.
"""
from __future__ import annotations

import array
import collections
import concurrent.futures
import contextvars
import dis
import functools
import io
import itertools
import mmap
import multiprocessing.connection
import multiprocessing.managers
import multiprocessing.queues
import operator
import os
import random
import socket
import struct
import subprocess
import sys
import threading
import time
import types
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Callable, NamedTuple, Optional

import torch

from .sites import is_users_file

_MOST_ENTRIES = 4000
_MOST_SECONDS = 0.02  # of CPU time: a pause of the machine must not cut a walk off
_MOST_DEPTH = 24
_WHOLE = 64  # elements of a container; of larger ones a sample
_QUICK = 32768  # elements of all containers together, of which quick() compares each
_HASHED = 65536  # numbers and texts in a list that are all part of its token
_WHOLE_BYTES = 4096
_WHOLE_CONTENT_BYTES = 4 << 20
_ROW_BYTES = 256
_CLOCK_EACH = 64  # entries
_MOST_WATCHED = 256  # of each kind

_PRIMITIVES = (type(None), bool, int, complex, str, type(Ellipsis), type(NotImplemented), range, slice)
_HASHABLE = {type(None), bool, int, float, complex, str, bytes}
_LOCKS = (type(threading.Lock()), type(threading.RLock()))
# Their threads, or the state of their clients, are not there after a fork.
_NOT_FORKED = {"polars", "grpc", "s3fs", "gcsfs", "adlfs", "duckdb", "sqlite3", "tensorflow", "jaxlib", "ray"}


class Quick(NamedTuple):
    """`values` are held, so that no other object gets the identity of one."""

    values: list[tuple[Any, ...]]
    identities: list[int]
    tensors: list[tuple[int, int]]
    arrays: list[bytes]
    sizes: list[int]
    generators: list[bytes]


class Hazard(NamedTuple):
    """What does not work in a process that was forked. `is_shared`: several processes would change what lies outside of them all."""

    path: str
    what: str
    is_shared: bool = False


class Snapshot:
    """`entries`: (index of the entry that it belongs to, its key there, token), the roots first. `is_whole`: no bound was reached."""

    def __init__(self) -> None:
        self.entries: list[tuple[int, Any, Any]] = []
        self.hazards: list[Hazard] = []
        self.is_whole = True
        # What quick() looks at, with the entry that each belongs to.
        self.dicts: list[tuple[int, Mapping[Any, Any]]] = []  # attributes, and dictionaries of few elements
        self.lists: list[tuple[int, Any]] = []  # of few elements
        self.names: list[tuple[int, tuple[Mapping[str, Any], str]]] = []  # the globals that the user's functions name
        self.tensors: list[tuple[int, torch.Tensor]] = []
        self.arrays: list[tuple[int, Any]] = []  # of few bytes
        self.containers: list[tuple[int, Any]] = []  # of many elements
        self.generators: list[tuple[int, torch.Generator]] = []

    def path(self, index: int) -> str:
        """ "dataset.transform.size" of the entry."""
        parts: list[str] = []
        while index >= 0:
            index, key, _ = self.entries[index]
            parts.append(key if isinstance(key, str) else f"[{key!r}]")
        return ".".join(reversed(parts)).replace(".[", "[")

    def release(self) -> None:
        """Holds none of the objects any longer. quick() tells nothing then."""
        for held in (self.dicts, self.lists, self.names, self.tensors, self.arrays, self.containers, self.generators):
            held.clear()

    def quick(self, with_process: bool = False) -> Quick:
        """What changes where the objects found by the walk get other attributes, elements, sizes, or contents by PyTorch.
        `with_process`: also what the process has for all of them. Microseconds."""
        values = [tuple(found.values()) for _, found in self.dicts]
        values += [tuple(found) for _, found in self.lists]
        values += [(module.get(name),) for _, (module, name) in self.names]
        identities = list(map(id, itertools.chain.from_iterable(values)))
        values.append(_process_state() if with_process else ())
        return Quick(
            values,
            identities,
            [(tensor._version, tensor.data_ptr()) for _, tensor in self.tensors],
            [bytes(array) for _, array in self.arrays],
            [len(container) for _, container in self.containers],
            [bytes(generator.get_state().numpy()) for _, generator in self.generators],
        )

    def quick_change(self, before: Quick, after: Quick) -> Optional[str]:
        """The path of what differs between two results of quick(); None: nothing does."""
        if before[1:] == after[1:] and before.values[-1] == after.values[-1]:
            return None
        for (index, _), old, new in zip((*self.dicts, *self.lists), before.values, after.values):
            if len(old) != len(new) or not all(map(_is_same, old, new)):
                return self._named(index, old, new)
        begin = len(self.dicts) + len(self.lists)
        for (index, (_, name)), (old,), (new,) in zip(self.names, before.values[begin:], after.values[begin:]):
            if not _is_same(old, new):
                return f"{self.path(index)}.{name}"
        if before.values[-1] != after.values[-1]:
            return next(name for name, old, new in zip(_PROCESS, before.values[-1], after.values[-1]) if old != new)
        groups: tuple[list[Any], ...] = self.tensors, self.arrays, self.containers, self.generators
        olds: tuple[Any, ...] = before[2:]
        news: tuple[Any, ...] = after[2:]
        for watched, left, right in zip(groups, olds, news):
            for (index, _), old, new in zip(watched, left, right):
                if old != new:
                    return self.path(index)
        return None

    def _named(self, index: int, old: tuple[Any, ...], new: tuple[Any, ...]) -> str:
        """The path of the element, where it has a name."""
        attributes = next((found for place, found in self.dicts if place == index and len(found) == len(new)), {})
        place = next((place for place, pair in enumerate(zip(old, new)) if not _is_same(*pair)), len(old))
        name = next(itertools.islice(attributes, place, None), None)
        return ".".join([self.path(index), *([name] if isinstance(name, str) else [])])


# What a process has for all of its code.
_PROCESS = ("the working directory", "the default dtype", "the context variables")


def _process_state() -> tuple[Any, ...]:
    return os.getcwd(), torch.get_default_dtype(), tuple(map(id, contextvars.copy_context().values()))


def _is_same(left: Any, right: Any) -> bool:
    return left is right or (type(left) is type(right) and type(left) in (*_PRIMITIVES, float, bytes) and left == right)


def take(roots: dict[str, Any], touched: Sequence[int] = (), skipped: Sequence[Any] = ()) -> Snapshot:
    """`touched`: places in containers as long as a dataset that shall be part of the sample. `skipped`: objects to stop at."""
    return _Walk(touched, with_identity=True).run(roots, skipped)


def content(batch: Any) -> Snapshot:
    """Of two batches with equal contents first_change() finds none."""
    return _Walk((), with_identity=False).run({"batch": batch})


def first_change(before: Snapshot, after: Snapshot) -> Optional[str]:
    """The path of the first entry that differs; None: they are equal."""
    for index, (old, new) in enumerate(zip(before.entries, after.entries)):
        if old != new:
            return (after if old[:2] == new[:2] else before).path(index)
    if len(before.entries) == len(after.entries) or not (before.is_whole and after.is_whole):
        return None
    longer = max(before, after, key=lambda one: len(one.entries))
    return longer.path(min(len(before.entries), len(after.entries)))


class _Walk:
    def __init__(self, touched: Sequence[int], with_identity: bool) -> None:
        self.snapshot = Snapshot()
        self._touched = [index for index in touched if type(index) is int][:_WHOLE]
        self._with_identity = with_identity
        self._elements_left = _QUICK
        self._seen: dict[int, Any] = {}
        self._end = time.thread_time() + (_MOST_SECONDS if with_identity else 60.0)
        self._most = _MOST_ENTRIES if with_identity else 1 << 20

    def run(self, roots: dict[str, Any], skipped: Sequence[Any] = ()) -> Snapshot:
        """Breadth first, so that a large part does not hide the others."""
        self._seen.update((id(value), value) for value in skipped)
        waiting = collections.deque((-1, name, root, 0) for name, root in roots.items())
        entries = self.snapshot.entries
        while waiting:
            if len(entries) >= self._most or (len(entries) % _CLOCK_EACH == 0 and time.thread_time() > self._end):
                self.snapshot.is_whole = False
                break
            parent, key, value, depth = waiting.popleft()
            index = len(entries)
            entries.append((parent, key, None))
            token, parts = self._token_of(value, index)
            entries[index] = (parent, key, token)
            if depth < _MOST_DEPTH:
                waiting.extend((index, name, part, depth + 1) for name, part in parts)
        return self.snapshot

    def _token_of(self, value: Any, index: int) -> tuple[Any, Iterable[tuple[Any, Any]]]:
        kind = type(value)
        if kind in _PRIMITIVES:
            return (value if kind is not slice else repr(value)), ()
        if kind is float:
            return struct.pack("=d", value), ()
        if kind is bytes and len(value) <= _WHOLE_BYTES:
            return value, ()
        if self._with_identity:
            if id(value) in self._seen:
                return "seen before", ()
            self._seen[id(value)] = value  # held, so that no other object gets its identity
        token, parts = self._look_at(value, kind, index)
        return (kind.__qualname__, token), parts

    def _look_at(self, value: Any, kind: type, index: int) -> tuple[Any, Iterable[tuple[Any, Any]]]:
        """Its token, and the parts that it has."""
        for base, look in _LOOKS:
            if issubclass(kind, base):
                return look(self, value, index)
        if kind.__module__ == "numpy" or _is_array(kind):
            found = self._numpy(value, kind, index)
            if found is not None:
                return found
        return self._object(value, kind, index)

    # Containers.

    def _list(self, value: Any, index: int) -> tuple[Any, Iterable[tuple[Any, Any]]]:
        size = list.__len__(value) if isinstance(value, list) else tuple.__len__(value) if isinstance(value, tuple) else len(value)
        if not isinstance(value, tuple):
            self._watch_elements(self.snapshot.lists, size, index, value)
        if _WHOLE < size <= _HASHED and set(map(type, value)) <= _HASHABLE:
            return (size, hash(tuple(value))), self._attributes(value, type(value), index)
        places = range(size) if size <= _WHOLE or not self._with_identity else self._sample(size)
        item = tuple.__getitem__ if isinstance(value, tuple) else list.__getitem__ if isinstance(value, list) else operator.getitem
        return size, [*((place, item(value, place)) for place in places), *self._attributes(value, type(value), index)]

    def _dict(self, value: Any, index: int) -> tuple[Any, Iterable[tuple[Any, Any]]]:
        size = dict.__len__(value)
        self._watch_elements(self.snapshot.dicts, size, index, value)
        if _WHOLE < size <= _HASHED and set(map(type, dict.values(value))) <= _HASHABLE:
            return (size, hash(tuple(dict.values(value)))), self._attributes(value, type(value), index)
        if size <= _WHOLE or not self._with_identity:
            pairs = list(dict.items(value))
        else:
            pairs = [*itertools.islice(dict.items(value), 16), *itertools.islice(reversed(dict.items(value)), 16)]
            pairs += [(place, dict.__getitem__(value, place)) for place in self._touched if dict.__contains__(value, place)]
        parts = [(key if type(key) in (str, int) else type(key).__qualname__, part) for key, part in pairs]
        return size, [*parts, *self._attributes(value, type(value), index)]

    def _set(self, value: Any, index: int) -> tuple[Any, Iterable[tuple[Any, Any]]]:
        size = (set if isinstance(value, set) else frozenset).__len__(value)
        self._watch(self.snapshot.containers, index, value)
        if size <= 4096 and all(type(element) in (int, str, bytes) for element in value):
            return (size, hash(frozenset(value))), ()
        return size, ()

    def _sample(self, size: int) -> list[int]:
        touched = [place for place in self._touched if 0 <= place < size]
        return [*range(16), *range(size - 16, size), *range(16, size - 16, max(1, size // 32)), *touched]

    # Numbers in memory.

    def _tensor(self, value: torch.Tensor, index: int) -> tuple[Any, Iterable[tuple[Any, Any]]]:
        where = None
        if self._with_identity:
            if not value.is_inference():
                self._watch(self.snapshot.tensors, index, value)
            if value.device.type != "cpu":
                self._hazard(index, f"a tensor on {value.device}")
            where = (_or_none(value.data_ptr), _or_none(lambda: value._version))
        parts = vars(value).items() if getattr(value, "__dict__", None) else ()
        return (where, str(value.dtype), str(value.layout), _or_none(lambda: tuple(value.shape)), _or_none(lambda: self._bytes_of(value))), parts

    def _bytes_of(self, tensor: torch.Tensor) -> Any:
        if tensor.device.type != "cpu":
            return None
        if tensor.layout is not torch.strided or tensor.is_quantized or tensor.is_nested:
            return None if self._with_identity else hash(repr(tensor))
        flat = tensor.detach()
        if flat.is_conj() or flat.is_neg():
            flat = flat.resolve_conj().resolve_neg()
        if not flat.is_contiguous():
            if self._with_identity and flat.numel() * flat.element_size() > _WHOLE_BYTES:
                return None  # its version tells
            flat = flat.contiguous()
        rows = flat.shape[0] if flat.dim() else 1
        return self._memory(flat.reshape(-1).view(torch.uint8).numpy(), rows)

    def _numpy(self, value: Any, kind: type, index: int) -> Optional[tuple[Any, Iterable[tuple[Any, Any]]]]:
        numpy = sys.modules.get("numpy")
        if numpy is None:
            return None
        if issubclass(kind, numpy.generic):
            return (str(value.dtype), value.tobytes()), ()
        if not issubclass(kind, numpy.ndarray):
            return None
        where = value.__array_interface__["data"][0] if self._with_identity else None
        token = (where, value.dtype.str, value.shape)
        if value.dtype.hasobject:
            self._watch(self.snapshot.containers, index, value)
            flat = value.reshape(-1) if value.flags.c_contiguous else value.flatten()
            places = range(flat.size) if flat.size <= _WHOLE or not self._with_identity else self._sample(flat.size)
            return token, [(place, flat[place]) for place in places]
        if self._with_identity and issubclass(kind, numpy.memmap) and not value.flags.writeable:
            return token, ()  # a sample of a file would be read from storage
        if not value.flags.c_contiguous:
            if self._with_identity and value.nbytes > _WHOLE_BYTES:
                value = value[: _WHOLE]
            value = numpy.ascontiguousarray(value)
        if value.nbytes <= _WHOLE_BYTES:
            self._watch(self.snapshot.arrays, index, value)
        rows = value.shape[0] if value.ndim else 1
        return (*token, self._memory(numpy.ndarray.reshape(value, -1).view(numpy.uint8), rows)), ()

    def _memory(self, flat: Any, rows: int) -> Any:
        """A hash of bytes, an array of one dimension of which `rows` rows of equal size make up all."""
        most = _WHOLE_BYTES if self._with_identity else _WHOLE_CONTENT_BYTES
        size = len(flat)
        if size <= most:
            return hash(flat.tobytes())
        row = max(1, size // max(1, rows))
        if self._with_identity:
            places = [place * row for place in self._touched if 0 <= place < rows]
            blocks = [flat[place : place + _ROW_BYTES].tobytes() for place in (0, size - _ROW_BYTES, *places)]
            return hash((*blocks, flat[:: max(1, size // 512)].tobytes()))
        stride = max(_ROW_BYTES, min(row // 4, size // (most // _ROW_BYTES)))  # at least four blocks of each row
        blocks = flat[: size // stride * stride].reshape(-1, stride)[:, :_ROW_BYTES]
        return hash((blocks.tobytes(), flat[-_ROW_BYTES:].tobytes()))

    def _buffer(self, value: Any, index: int) -> tuple[Any, Iterable[tuple[Any, Any]]]:
        """bytes, bytearray, array.array, mmap and memoryview, without a copy."""
        try:
            flat = memoryview(value).cast("B")
        except (TypeError, ValueError):  # released, or not contiguous
            return id(value) if self._with_identity else None, ()
        size = len(flat)
        if size <= _WHOLE_BYTES and not isinstance(value, (bytes, mmap.mmap)):
            self._watch(self.snapshot.arrays, index, value)
        if size <= _WHOLE_BYTES or not self._with_identity:
            return (size, hash(bytes(flat))), ()
        ends = bytes(flat[:_ROW_BYTES]), bytes(flat[-_ROW_BYTES:])
        return (size, hash((*ends, bytes(flat[:: size // 512])))), ()

    # What draws random numbers.

    def _torch_generator(self, value: torch.Generator, index: int) -> tuple[Any, Iterable[tuple[Any, Any]]]:
        if value.device.type != "cpu":
            return id(value), ()
        self._watch(self.snapshot.generators, index, value)
        return hash(value.get_state().numpy().tobytes()), ()

    def _python_random(self, value: random.Random, index: int) -> tuple[Any, Iterable[tuple[Any, Any]]]:
        return _or_none(lambda: hash(random.Random.getstate(value))), ()

    # Code.

    def _function(self, value: Any, index: int) -> tuple[Any, Iterable[tuple[Any, Any]]]:
        code = value.__code__
        cells = [(name, cell) for name, cell in zip(code.co_freevars, value.__closure__ or ())]
        parts: list[tuple[Any, Any]] = [(name, _content_of(cell)) for name, cell in cells]
        parts += [("defaults", value.__defaults__), ("keyword defaults", value.__kwdefaults__), *vars(value).items()]
        if is_users_file(code.co_filename):
            parts += self._globals_of(index, code, value.__globals__)
        return id(code), parts

    def _method(self, value: Any, index: int) -> tuple[Any, Iterable[tuple[Any, Any]]]:
        return None, [("self", value.__self__), ("function", value.__func__)]

    def _partial(self, value: Any, index: int) -> tuple[Any, Iterable[tuple[Any, Any]]]:
        return None, [("function", value.func), ("arguments", value.args), ("keywords", value.keywords)]

    def _cached_function(self, value: Any, index: int) -> tuple[Any, Iterable[tuple[Any, Any]]]:
        return (id(value), value.cache_info().currsize), [("function", getattr(value, "__wrapped__", None))]

    def _class(self, value: type, index: int) -> tuple[Any, Iterable[tuple[Any, Any]]]:
        return id(value), self._class_parts(value, index)

    def _module(self, value: Any, index: int) -> tuple[Any, Iterable[tuple[Any, Any]]]:
        return id(value), ()

    def _generator_object(self, value: Any, index: int) -> tuple[Any, Iterable[tuple[Any, Any]]]:
        frame = getattr(value, "gi_frame", None)
        return (id(value), None if frame is None else frame.f_lasti), ()

    # What does not survive a fork.

    def _thread(self, value: threading.Thread, index: int) -> tuple[Any, Iterable[tuple[Any, Any]]]:
        if threading.Thread.is_alive(value):
            self._hazard(index, "a running thread")
        return id(value), ()

    def _executor(self, value: Any, index: int) -> tuple[Any, Iterable[tuple[Any, Any]]]:
        self._hazard(index, f"a {type(value).__name__}, whose threads or processes a forked worker lacks")
        return id(value), ()

    def _shared(self, value: Any, index: int) -> tuple[Any, Iterable[tuple[Any, Any]]]:
        self._hazard(index, f"a {type(value).__name__} of multiprocessing, whose content lies in other processes", is_shared=True)
        return id(value), ()

    def _connection(self, value: Any, index: int) -> tuple[Any, Iterable[tuple[Any, Any]]]:
        self._hazard(index, f"a {type(value).__name__} that forked workers would share")
        return id(value), ()

    def _lock(self, value: Any, index: int) -> tuple[Any, Iterable[tuple[Any, Any]]]:
        is_held = value.locked() if hasattr(value, "locked") else repr(value).startswith("<locked")
        if is_held:
            self._hazard(index, "a lock that is held")
        return is_held, ()

    def _file(self, value: Any, index: int) -> tuple[Any, Iterable[tuple[Any, Any]]]:
        if isinstance(value, (io.BytesIO, io.StringIO)):
            kind: Any = type(value)
            return _or_none(lambda: (kind.tell(value), hash(kind.getvalue(value)))), ()
        if type(value) in _WRITING and not value.closed and value.writable():
            return (id(value), _or_none(value.tell)), ()  # what a load writes
        return id(value), ()  # private_descriptors.py looks at the offsets of those that are read

    # Everything else.

    def _object(self, value: Any, kind: type, index: int) -> tuple[Any, Iterable[tuple[Any, Any]]]:
        package = kind.__module__.partition(".")[0]
        if package in _NOT_FORKED:
            self._hazard(index, f"a {kind.__name__} of {package}, which does not work in forked workers")
        elif package == "asyncio" and kind.__name__.endswith("EventLoop"):
            self._hazard(index, "an event loop, which forked workers would share")
        parts = list(self._attributes(value, kind, index))
        if not is_users_class(kind):
            return self._opaque(value, kind, parts), parts
        return None, [*parts, (f"class {kind.__name__}", kind)] if self._with_identity else parts

    def _opaque(self, value: Any, kind: type, parts: list[tuple[Any, Any]]) -> Any:
        if parts:
            return None
        if package_of(kind) == "numpy" and hasattr(kind, "bit_generator"):
            return _or_none(lambda: hash(repr(value.bit_generator.state)))
        if package_of(kind) == "numpy" and kind.__name__ == "RandomState":
            return _or_none(lambda: hash(repr(value.get_state(legacy=False))))
        if kind.__module__ in ("builtins", "itertools", "collections") and hasattr(kind, "__length_hint__"):
            return operator.length_hint(value)  # an iterator
        if hasattr(kind, "hexdigest"):  # of hashlib
            return _or_none(value.hexdigest)
        if kind is itertools.count:
            return repr(value)
        if package_of(kind) in ("_ctypes", "ctypes") or issubclass(kind, _CTYPES):
            return _or_none(lambda: hash(bytes(value)))
        return id(value) if self._with_identity else None

    def _attributes(self, value: Any, kind: type, index: int) -> Iterable[tuple[Any, Any]]:
        try:
            attributes = object.__getattribute__(value, "__dict__")
        except (AttributeError, TypeError):
            attributes = None
        if type(attributes) is dict:
            self._watch(self.snapshot.dicts, index, attributes)
            yield from ((name, part) for name, part in attributes.items() if not str(name).startswith("_feedrate"))
        for base in kind.__mro__:
            slots = base.__dict__.get("__slots__", ())
            for name in (slots,) if isinstance(slots, str) else slots:
                member = base.__dict__.get(name)
                if type(member) is types.MemberDescriptorType:
                    try:
                        yield name, member.__get__(value, kind)
                    except AttributeError:
                        pass

    def _class_parts(self, kind: type, index: int) -> Iterable[tuple[Any, Any]]:
        """The data in the user's classes, and the globals that their methods name."""
        for base in kind.__mro__:
            if not is_users_class(base):
                continue
            self._watch(self.snapshot.dicts, index, vars(base))
            for name, part in list(vars(base).items()):
                function = getattr(part, "__func__", part)
                function = getattr(function, "fget", function) or function
                if isinstance(function, types.FunctionType):
                    yield from self._globals_of(index, function.__code__, function.__globals__)
                    if function.__closure__:
                        yield name, function
                elif not name.startswith("__") and type(part) not in (types.GetSetDescriptorType, types.MemberDescriptorType):
                    yield name, part

    def _globals_of(self, index: int, code: types.CodeType, module: Mapping[str, Any]) -> list[tuple[Any, Any]]:
        """What the code may name and the user's code has made: data, functions, classes, and data of modules."""
        found = []
        for name in sorted(_names_of(code)):
            if name not in module:
                continue
            value = module[name]
            if name == "get_worker_info" or (name in ("torch", "data") and "get_worker_info" in _attributes_of(code)):
                self._hazard(index, "code that asks get_worker_info(), so that what it loads may depend on the workers", is_shared=True)
            if isinstance(value, types.ModuleType):
                found += self._data_of_module(index, code, value)
            elif self._is_data(value):
                self._watch(self.snapshot.names, index, (module, name))
                found.append((f"global {name}", value))
        return found

    def _data_of_module(self, index: int, code: types.CodeType, module: types.ModuleType) -> list[tuple[Any, Any]]:
        file = getattr(module, "__file__", None)  # None of one that the script has made
        if module.__name__ in sys.builtin_module_names or (file is not None and not is_users_file(file)):
            return []
        names = [name for name in sorted(_attributes_of(code)) if name in vars(module) and self._is_data(vars(module)[name])]
        for name in names:
            self._watch(self.snapshot.names, index, (vars(module), name))
        return [(f"{module.__name__}.{name}", vars(module)[name]) for name in names]

    @staticmethod
    def _is_data(value: Any) -> bool:
        kind = type(value)
        if kind is types.FunctionType:
            return is_users_file(value.__code__.co_filename)
        if issubclass(kind, type):
            return is_users_class(value)
        return not issubclass(kind, (types.ModuleType, types.BuiltinFunctionType))

    def _watch_elements(self, watched: list[Any], size: int, index: int, value: Any) -> None:
        """Those of a container, as long as there are few in all; else its size."""
        if size <= self._elements_left:
            self._elements_left -= size
            self._watch(watched, index, value)
        else:
            self._watch(self.snapshot.containers, index, value)

    def _watch(self, watched: list[Any], index: int, what: Any) -> None:
        """Within Snapshot.quick(), which must stay quick."""
        if self._with_identity and len(watched) < _MOST_WATCHED:
            watched.append((index, what))

    def _hazard(self, index: int, what: str, is_shared: bool = False) -> None:
        self.snapshot.hazards.append(Hazard(self.snapshot.path(index), what, is_shared))


_CTYPES = __import__("ctypes")._SimpleCData.__mro__[1]

_WRITING = (io.TextIOWrapper, io.BufferedWriter, io.BufferedRandom)
_SHARED = (
    multiprocessing.connection.Connection,
    multiprocessing.managers.BaseManager,
    multiprocessing.managers.BaseProxy,
    multiprocessing.queues.Queue,
    multiprocessing.queues.SimpleQueue,
)

_LOOKS: list[tuple[Any, Callable[..., tuple[Any, Iterable[tuple[Any, Any]]]]]] = [
    (dict, _Walk._dict),
    ((list, tuple, collections.deque), _Walk._list),
    ((set, frozenset), _Walk._set),
    ((bytes, bytearray, array.array, memoryview, mmap.mmap), _Walk._buffer),
    (torch.Tensor, _Walk._tensor),
    (torch.Generator, _Walk._torch_generator),
    (types.ModuleType, _Walk._module),
    (type, _Walk._class),
    (types.FunctionType, _Walk._function),
    (types.MethodType, _Walk._method),
    (functools.partial, _Walk._partial),
    (functools._lru_cache_wrapper, _Walk._cached_function),
    (types.GeneratorType, _Walk._generator_object),
    (threading.Thread, _Walk._thread),
    (concurrent.futures.Executor, _Walk._executor),
    ((socket.socket, subprocess.Popen), _Walk._connection),
    (_SHARED, _Walk._shared),
    (_LOCKS, _Walk._lock),
    (io.IOBase, _Walk._file),
    (random.Random, _Walk._python_random),
]


def _is_array(kind: type) -> bool:
    return any(base.__module__ == "numpy" for base in kind.__mro__)


def package_of(kind: type) -> str:
    return kind.__module__.partition(".")[0]


@functools.lru_cache(maxsize=4096)
def is_users_class(kind: type) -> bool:
    module = sys.modules.get(kind.__module__)
    file = getattr(module, "__file__", None)
    return kind.__module__ == "__main__" or (file is not None and is_users_file(file))


@functools.lru_cache(maxsize=4096)
def _names_of(code: types.CodeType) -> frozenset[str]:
    """Of the globals; not of the attributes, which co_names has as well."""
    inner = (_names_of(part) for part in code.co_consts if isinstance(part, types.CodeType))
    own = (step.argval for step in dis.get_instructions(code) if step.opname in ("LOAD_GLOBAL", "LOAD_NAME", "STORE_GLOBAL"))
    return frozenset(own).union(*inner)


@functools.lru_cache(maxsize=4096)
def _attributes_of(code: types.CodeType) -> frozenset[str]:
    inner = (_attributes_of(part) for part in code.co_consts if isinstance(part, types.CodeType))
    return frozenset(code.co_names).union(*inner)


def _content_of(cell: types.CellType) -> Any:
    return _or_none(lambda: cell.cell_contents)


def _or_none(ask: Callable[[], Any]) -> Any:
    """Of tensors without storage and the like."""
    try:
        return ask()
    except Exception:
        return None
