# SPDX-License-Identifier: Apache-2.0
"""The state that a dataset, a sampler or a collate function keeps in this process, as a list that can be compared.

take() walks attributes, containers, closures, and the module globals that functions of the user's own code name. Nothing of the user's
is called: no property, no __len__, no __eq__, no __hash__. The walk is bounded by the number of entries and by time. Of a large
container, array or tensor it has a sample: both ends, a stride, and the places that the caller names (the indices of the samples that
are loaded next). Tensors also have their version, which each change in place by PyTorch increments.

content() is the same of a batch, without anything that depends on where in memory it lies.
"""
from __future__ import annotations

import collections
import concurrent.futures
import functools
import io
import itertools
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
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Callable, NamedTuple, Optional

import torch

from .sites import is_users_file

_MOST_ENTRIES = 4000
_MOST_SECONDS = 0.02  # of CPU time: a pause of the machine must not cut a walk off
_MOST_DEPTH = 24
_WHOLE = 64  # elements of a container; of larger ones a sample
_WHOLE_BYTES = 4096
_WHOLE_CONTENT_BYTES = 4 << 20
_ROW_BYTES = 256
_CLOCK_EACH = 64  # entries
_MOST_WATCHED = 64  # of each kind

_PRIMITIVES = (type(None), bool, int, complex, str, type(Ellipsis), type(NotImplemented), range, slice)
_LOCKS = (type(threading.Lock()), type(threading.RLock()))
# Their threads, or the state of their clients, are not there after a fork.
_NOT_FORKED = {"polars", "grpc", "s3fs", "gcsfs", "adlfs", "duckdb", "sqlite3", "tensorflow", "jaxlib", "ray"}


class Quick(NamedTuple):
    """`values` are held, so that no other object gets the identity of one."""

    values: list[tuple[Any, ...]]
    identities: list[int]
    versions: list[int]
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
        self.dicts: list[tuple[int, Mapping[str, Any]]] = []  # the attributes of the user's objects and classes
        self.names: list[tuple[int, tuple[dict[str, Any], str]]] = []  # the globals that the user's functions name
        self.tensors: list[tuple[int, torch.Tensor]] = []
        self.containers: list[tuple[int, Any]] = []
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
        for held in (self.dicts, self.names, self.tensors, self.containers, self.generators):
            held.clear()

    def quick(self) -> Quick:
        """What changes where the objects found by the walk get other attributes, sizes, or contents by PyTorch. Microseconds."""
        values = [*(tuple(attributes.values()) for _, attributes in self.dicts), tuple(module.get(name) for _, (module, name) in self.names)]
        return Quick(
            values,
            list(map(id, itertools.chain.from_iterable(values))),
            [tensor._version for _, tensor in self.tensors],
            [len(container) for _, container in self.containers],
            [bytes(generator.get_state().numpy()) for _, generator in self.generators],
        )

    def quick_change(self, before: Quick, after: Quick) -> Optional[str]:
        """The path of what differs between two results of quick(); None: nothing does."""
        if before[1:] == after[1:]:
            return None
        for (index, attributes), old, new in zip(self.dicts, before.values, after.values):
            if len(old) != len(new):
                added = list(attributes)[len(old) :]
                return ".".join([self.path(index), *added[:1]])
            for name, left, right in zip(attributes, old, new):
                if not _is_same(left, right):
                    return f"{self.path(index)}.{name}"
        names: tuple[Any, Any, Any] = self.names, before.values[-1], after.values[-1]
        others: Iterable[tuple[Any, Any, Any]] = zip((self.tensors, self.containers, self.generators), before[2:], after[2:])
        for watched, left, right in (names, *others):
            for (index, _), old, new in zip(watched, left, right):
                if not _is_same(old, new):
                    return self.path(index)
        return None


def _is_same(left: Any, right: Any) -> bool:
    return left is right or (type(left) is type(right) and type(left) in (*_PRIMITIVES, float, bytes) and left == right)


def take(roots: dict[str, Any], touched: Sequence[int] = (), skipped: Sequence[Any] = ()) -> Snapshot:
    """`touched`: places in containers as long as a dataset that shall be part of the sample. `skipped`: objects to stop at."""
    walk = _Walk(touched, with_identity=True)
    walk.skip(skipped)
    for name, root in roots.items():
        walk.add(-1, name, root, 0)
    return walk.snapshot


def content(batch: Any) -> Snapshot:
    """Of two batches with equal contents first_change() finds none."""
    walk = _Walk((), with_identity=False)
    walk.add(-1, "batch", batch, 0)
    return walk.snapshot


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
        self._seen: dict[int, Any] = {}
        self._end = time.thread_time() + (_MOST_SECONDS if with_identity else 60.0)
        self._most = _MOST_ENTRIES if with_identity else 1 << 20

    def skip(self, values: Sequence[Any]) -> None:
        self._seen.update((id(value), value) for value in values)

    def add(self, parent: int, key: Any, value: Any, depth: int) -> None:
        entries = self.snapshot.entries
        if not self.snapshot.is_whole:
            return
        if len(entries) >= self._most or (len(entries) % _CLOCK_EACH == 0 and time.thread_time() > self._end):
            self.snapshot.is_whole = False
            return
        kind = type(value)
        if kind in _PRIMITIVES:
            entries.append((parent, key, value if kind is not slice else repr(value)))
            return
        if kind is float:
            entries.append((parent, key, struct.pack("=d", value)))
            return
        if kind in (bytes, bytearray):
            entries.append((parent, key, (len(value), hash(bytes(value)))))
            return
        if self._with_identity:
            if id(value) in self._seen:
                entries.append((parent, key, "seen before"))
                return
            self._seen[id(value)] = value  # held, so that no other object gets its identity
        index = len(entries)
        entries.append((parent, key, None))
        token, parts = self._look_at(value, kind, index)
        entries[index] = (parent, key, (kind.__qualname__, token))
        if depth < _MOST_DEPTH:
            for name, part in parts:
                self.add(index, name, part, depth + 1)

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
        self._watch(self.snapshot.containers, index, value)
        places = range(size) if size <= _WHOLE or not self._with_identity else self._sample(size)
        item = tuple.__getitem__ if isinstance(value, tuple) else list.__getitem__ if isinstance(value, list) else operator.getitem
        return size, [*((place, item(value, place)) for place in places), *self._attributes(value, type(value), index)]

    def _dict(self, value: Any, index: int) -> tuple[Any, Iterable[tuple[Any, Any]]]:
        size = dict.__len__(value)
        self._watch(self.snapshot.containers, index, value)
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
        if self._with_identity and issubclass(kind, numpy.memmap):
            return token, ()  # a sample of a file would be read from storage
        if not value.flags.c_contiguous:
            if self._with_identity and value.nbytes > _WHOLE_BYTES:
                value = value[: _WHOLE]
            value = numpy.ascontiguousarray(value)
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
            base: Any = type(value)
            return _or_none(lambda: (base.tell(value), hash(base.getvalue(value)))), ()
        return id(value), ()  # private_descriptors.py looks at its offset

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
            if is_users_class(kind):
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

    def _globals_of(self, index: int, code: types.CodeType, module: dict[str, Any]) -> list[tuple[Any, Any]]:
        """The data, and the user's own functions, that the code may name."""
        found = []
        for name in sorted(_names_of(code)):
            value: Any = module.get(name)
            kind = type(value)
            if name not in module or issubclass(kind, (types.ModuleType, type, types.BuiltinFunctionType)):
                continue
            if kind is types.FunctionType and not is_users_file(value.__code__.co_filename):
                continue
            self._watch(self.snapshot.names, index, (module, name))
            found.append((f"global {name}", value))
        return found

    def _watch(self, watched: list[Any], index: int, what: Any) -> None:
        """Within Snapshot.quick(), which must stay quick."""
        if self._with_identity and len(watched) < _MOST_WATCHED:
            watched.append((index, what))

    def _hazard(self, index: int, what: str, is_shared: bool = False) -> None:
        self.snapshot.hazards.append(Hazard(self.snapshot.path(index), what, is_shared))


_CTYPES = __import__("ctypes")._SimpleCData.__mro__[1]

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
    inner = (_names_of(part) for part in code.co_consts if isinstance(part, types.CodeType))
    return frozenset(code.co_names).union(*inner)


def _content_of(cell: types.CellType) -> Any:
    return _or_none(lambda: cell.cell_contents)


def _or_none(ask: Callable[[], Any]) -> Any:
    """Of tensors without storage and the like."""
    try:
        return ask()
    except Exception:
        return None
