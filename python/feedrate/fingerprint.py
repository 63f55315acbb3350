# SPDX-License-Identifier: Apache-2.0
"""The state of a dataset, a sampler or a collate function in this process, as a list that can be compared.

take() walks attributes, containers, closures, and the module globals that the user's functions name. It calls nothing of the user's:
no property, no __len__, no __eq__, no __hash__. The number of entries and the time bound the walk. It samples large containers,
arrays and tensors: both ends, a stride, and the positions that the caller names (the indices of the samples that are loaded next).
Of a tensor it also takes the version, which PyTorch increments with each change in place.

content() does the same for a batch, without memory addresses.
"""
from __future__ import annotations

import array
import collections
import concurrent.futures
import functools
import gc
import io
import itertools
import mmap
import multiprocessing.connection
import multiprocessing.managers
import multiprocessing.queues
import operator
import random
import socket
import struct
import subprocess
import sys
import threading
import time
import types
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any, Callable, Optional

import torch

from .code_names import attributes_of, is_users_class, names_of
from .memory_walk import WHOLE, WHOLE_BYTES, MemoryWalk, or_none
from .sites import is_users_file
from .snapshot import PRIMITIVES, Snapshot

_MOST_ENTRIES = 4000
_MOST_SECONDS = 0.02  # of CPU time, so that a pause of the machine does not truncate a walk
_MOST_DEPTH = 24
_QUICK = 4096  # elements that Snapshot.quick() compares, in all containers together
_HASHED = 65536  # a list of at most so many numbers and texts is hashed whole
_CLOCK_EACH = 64  # entries between two reads of the clock

_HASHABLE = {type(None), bool, int, float, complex, str, bytes}
_LOCKS = (type(threading.Lock()), type(threading.RLock()))
# Packages whose threads or clients do not survive a fork.
_NOT_FORKED = {"polars", "grpc", "s3fs", "gcsfs", "adlfs", "duckdb", "sqlite3", "tensorflow", "jaxlib", "ray"}


def take(
    roots: dict[str, Any], touched: Sequence[int] = (), skipped: Sequence[Any] = (), named: Optional[Collection[str]] = None
) -> Snapshot:
    """`touched`: positions to sample in containers as long as a dataset. `skipped`: objects to stop at. `named`: large containers
    that quick() has to compare whole; None: all."""
    return _Walk(touched, with_identity=True, named=named).run(roots, skipped)


def content(batch: Any) -> Snapshot:
    """The contents of a batch. first_change() finds no difference between two batches of equal contents."""
    return _Walk((), with_identity=False).run({"batch": batch})


class _Walk(MemoryWalk):
    def __init__(self, touched: Sequence[int], with_identity: bool, named: Optional[Collection[str]] = None) -> None:
        super().__init__(touched, with_identity)
        self._named = named
        self._elements_left = _QUICK
        self._seen: dict[int, Any] = {}
        self._end = time.thread_time() + (_MOST_SECONDS if with_identity else 60.0)
        self._most = _MOST_ENTRIES if with_identity else 1 << 20

    def run(self, roots: dict[str, Any], skipped: Sequence[Any] = ()) -> Snapshot:
        """Walks breadth first, so that a large part does not hide the others."""
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
        if kind in PRIMITIVES:
            return (value if kind is not slice else repr(value)), ()
        if kind is float:
            return struct.pack("=d", value), ()
        if kind is bytes and len(value) <= WHOLE_BYTES:
            return value, ()
        if self._with_identity:
            if id(value) in self._seen:
                return "seen before", ()
            self._seen[id(value)] = value  # keeps a reference, so that no other object gets this id
        token, parts = self._look_at(value, kind, index)
        return (kind.__qualname__, token), parts

    def _look_at(self, value: Any, kind: type, index: int) -> tuple[Any, Iterable[tuple[Any, Any]]]:
        for base, look in _LOOKS:
            if issubclass(kind, base):
                return look(self, value, index)
        if kind.__module__ == "numpy" or _is_array(kind):
            found = self._numpy(value, kind, index)
            if found is not None:
                return found
        return self._object(value, kind, index)


    def _list(self, value: Any, index: int) -> tuple[Any, Iterable[tuple[Any, Any]]]:
        size = list.__len__(value) if isinstance(value, list) else tuple.__len__(value) if isinstance(value, tuple) else len(value)
        if not isinstance(value, tuple):
            self._watch_elements(self.snapshot.lists, size, index, value)
        if WHOLE < size <= _HASHED and set(map(type, value)) <= _HASHABLE:
            return (size, hash(tuple(value))), self._attributes(value, type(value), index)
        positions = range(size) if size <= WHOLE or not self._with_identity else self._sample(size)
        if size > WHOLE:
            self._watch(self.snapshot.sampled, index, value)
        item = tuple.__getitem__ if isinstance(value, tuple) else list.__getitem__ if isinstance(value, list) else operator.getitem
        return size, [*((position, item(value, position)) for position in positions), *self._attributes(value, type(value), index)]

    def _dict(self, value: Any, index: int) -> tuple[Any, Iterable[tuple[Any, Any]]]:
        size = dict.__len__(value)
        self._watch_elements(self.snapshot.dicts, size, index, value)
        if WHOLE < size <= _HASHED and set(map(type, dict.values(value))) <= _HASHABLE:
            return (size, hash(tuple(dict.values(value)))), self._attributes(value, type(value), index)
        if size <= WHOLE or not self._with_identity:
            pairs = list(dict.items(value))
        else:
            self._watch(self.snapshot.sampled, index, value)
            pairs = [*itertools.islice(dict.items(value), 16), *itertools.islice(reversed(dict.items(value)), 16)]
            pairs += [(position, dict.__getitem__(value, position)) for position in self._touched if dict.__contains__(value, position)]
        parts = [(key if type(key) in (str, int) else type(key).__qualname__, part) for key, part in pairs]
        return size, [*parts, *self._attributes(value, type(value), index)]

    def _set(self, value: Any, index: int) -> tuple[Any, Iterable[tuple[Any, Any]]]:
        size = (set if isinstance(value, set) else frozenset).__len__(value)
        self._watch(self.snapshot.containers, index, value)
        if size <= 4096 and all(type(element) in (int, str, bytes) for element in value):
            return (size, hash(frozenset(value))), ()
        return size, ()

    # Random number generators.

    def _torch_generator(self, value: torch.Generator, index: int) -> tuple[Any, Iterable[tuple[Any, Any]]]:
        if value.device.type != "cpu":
            return id(value), ()
        self._watch(self.snapshot.generators, index, value)
        return hash(value.get_state().numpy().tobytes()), ()

    def _python_random(self, value: random.Random, index: int) -> tuple[Any, Iterable[tuple[Any, Any]]]:
        return or_none(lambda: hash(random.Random.getstate(value))), ()


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

    # Values that do not survive a fork.

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
            return or_none(lambda: (kind.tell(value), hash(kind.getvalue(value)))), ()
        if type(value) in _WRITING and not value.closed and value.writable():
            return (id(value), or_none(value.tell)), ()
        self._watch(self.snapshot.files, index, value)
        return id(value), ()  # file_reads.py checks the offset of files that are read


    def _object(self, value: Any, kind: type, index: int) -> tuple[Any, Iterable[tuple[Any, Any]]]:
        package = kind.__module__.partition(".")[0]
        if package in _NOT_FORKED:
            self._hazard(index, f"a {kind.__name__} of {package}, which does not work in forked workers")
        elif package == "asyncio" and kind.__name__.endswith("EventLoop"):
            self._hazard(index, "an event loop, which forked workers would share")
        parts = list(self._attributes(value, kind, index))
        if package == "pandas":  # pandas keeps columns in objects without attributes
            parts += [(position, part) for position, part in enumerate(gc.get_referents(value)) if self._is_data(part)]
        if not is_users_class(kind):
            return self._opaque(value, kind, parts), parts
        return None, [*parts, (f"class {kind.__name__}", kind)] if self._with_identity else parts

    def _opaque(self, value: Any, kind: type, parts: list[tuple[Any, Any]]) -> Any:
        if parts:
            return None
        if package_of(kind) == "numpy" and hasattr(kind, "bit_generator"):
            return or_none(lambda: hash(repr(value.bit_generator.state)))
        if package_of(kind) == "numpy" and kind.__name__ == "RandomState":
            return or_none(lambda: hash(repr(value.get_state(legacy=False))))
        if kind.__module__ in ("builtins", "itertools", "collections") and hasattr(kind, "__length_hint__"):
            return operator.length_hint(value)
        if hasattr(kind, "hexdigest"):  # a hash of hashlib
            return or_none(value.hexdigest)
        if kind is itertools.count:
            return repr(value)
        if package_of(kind) in ("_ctypes", "ctypes") or issubclass(kind, _CTYPES):
            return or_none(lambda: hash(bytes(value)))
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
        """The data of the user's classes, and the globals that their methods name."""
        for base in kind.__mro__:
            if not is_users_class(base):
                continue
            self._watch(self.snapshot.dicts, index, vars(base))
            for name, part in list(vars(base).items()):
                function = part.__func__ if isinstance(part, (staticmethod, classmethod)) else part
                function = part.fget if isinstance(part, property) else function
                if isinstance(function, types.FunctionType):
                    yield from self._globals_of(index, function.__code__, function.__globals__)
                    if function.__closure__:
                        yield name, function
                elif not name.startswith("__") and type(part) not in (types.GetSetDescriptorType, types.MemberDescriptorType):
                    yield name, part

    def _globals_of(self, index: int, code: types.CodeType, module: Mapping[str, Any]) -> list[tuple[Any, Any]]:
        """The globals that the code names and the user has made: data, functions, classes, and data of modules."""
        found = []
        for name in sorted(names_of(code)):
            if name not in module:
                continue
            value = module[name]
            if name in _WORKER_NAMES or (name in ("torch", "data", "multiprocessing") and not _WORKER_NAMES.isdisjoint(attributes_of(code))):
                self._hazard(index, "code that asks in which process it runs, so that what it loads may depend on the workers", is_shared=True)
            if isinstance(value, types.ModuleType):
                found += self._data_of_module(index, code, value)
            elif self._is_data(value):
                self._watch(self.snapshot.names, index, (module, name))
                found.append((f"global {name}", value))
        return found

    def _data_of_module(self, index: int, code: types.CodeType, module: types.ModuleType) -> list[tuple[Any, Any]]:
        file = getattr(module, "__file__", None)  # None for a module that the script made
        if module.__name__ in sys.builtin_module_names or (file is not None and not is_users_file(file)):
            return []
        names = [name for name in sorted(attributes_of(code)) if name in vars(module) and self._is_data(vars(module)[name])]
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
        """Watches each element of a container while the total is small, else only its size."""
        is_wanted = size <= WHOLE or self._named is None or self.snapshot.name(index) in self._named
        if is_wanted and size <= self._elements_left:
            self._elements_left -= size
            self._watch(watched, index, value)
        else:
            self._watch(self.snapshot.containers, index, value)
            self._watch(self.snapshot.sampled, index, value)



_WORKER_NAMES = {"get_worker_info", "parent_process", "current_process"}
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


def _content_of(cell: types.CellType) -> Any:
    return or_none(lambda: cell.cell_contents)
