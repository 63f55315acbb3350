# SPDX-License-Identifier: Apache-2.0
"""Reads, from the bytecode of code that may run between two batches, the names that the training stores into.

Arrays and containers that are too large to compare before each batch (fingerprint.py) must not change while batches are loaded
ahead. If user code in the training loop stores into one, this module finds it before that happens. It reads the code of the loop
that waits for a batch, and of the user's functions that this code names.
"""
from __future__ import annotations

import dis
import inspect
import sys
import types
from collections import deque
from collections.abc import Iterator
from typing import Any, NamedTuple, Optional

import torch

from .code_names import attributes_of
from .sites import is_users_file
from .snapshot import Snapshot

_MUTATORS = {"fill", "sort", "put", "partition", "itemset", "reverse", "update", "setdefault", "insert", "remove", "fill_", "copy_", "add_"}
_MOST_FUNCTIONS = 2000


class Stores(NamedTuple):
    elements_of: set[str]  # attributes, by element
    variables: set[str]  # variables, by element
    attributes: set[str]  # attributes, as a whole
    names: set[str]


def of_the_training(frames: list[types.FrameType]) -> Stores:
    """`frames`: of the user's functions that wait for a batch, the innermost first."""
    functions, _ = _users_functions(frames)
    stores = Stores(set(), set(), set(), set())
    waiting = list(_between_two_batches(frames))
    seen = {code for code, _, _ in waiting}
    while waiting:
        code, begin, end = waiting.pop()
        steps = [step for step in dis.get_instructions(code) if begin <= step.offset < end]
        _add_stores(steps, stores)
        names = {step.argval for step in steps if isinstance(step.argval, str)}
        stores.names.update(names)
        called = [one for name in names for one in functions.get(name, ())]
        if (begin, end) != (0, len(code.co_code)):
            called += [value.__code__ for value in _values_of(names, frames) if isinstance(value, types.FunctionType)]
        called += [step.argval for step in steps if isinstance(step.argval, types.CodeType)]
        waiting += [(one, 0, len(one.co_code)) for one in called if one not in seen]
        seen.update(called)
    return stores


def may_use(names: frozenset[str], frames: list[types.FrameType]) -> bool:
    """Whether a function of the user contains one of these names. True if there are too many functions to read."""
    functions, is_all = _users_functions(frames)
    return not is_all or any(not names.isdisjoint(attributes_of(code)) for codes in functions.values() for code in codes)


def _between_two_batches(frames: list[types.FrameType]) -> Iterator[tuple[types.CodeType, int, int]]:
    """(code, begin offset, end offset) of each frame, up to the function with the loop over the loader. Code around that loop runs between
    two epochs."""
    for frame in frames:
        code, now = frame.f_code, frame.f_lasti
        steps = [step for step in dis.get_instructions(code) if "JUMP" in step.opname or step.opname == "FOR_ITER"]
        over_loader = [step.argval for step in steps if step.offset == now and step.opname == "FOR_ITER"]
        loops = [step for step in steps if step.opname != "FOR_ITER" and type(step.argval) is int and step.argval <= now <= step.offset]
        if over_loader:
            yield code, now, over_loader[0]
        elif loops:
            yield code, min(step.argval for step in loops), max(step.offset for step in loops)
        else:
            yield code, 0, len(code.co_code)
        if (over_loader or loops) and not code.co_flags & inspect.CO_GENERATOR:
            break


def stored_part(snapshot: Snapshot, stores: Stores, frames: list[types.FrameType]) -> Optional[str]:
    """The path of an object that the code stores into, among those that the snapshot only samples; None if there is none."""
    values = list(_values_of(stores.variables, frames))
    for index, large in snapshot.sampled:
        if snapshot.name(index) in stores.elements_of or any(_share(large, value) for value in values):
            return snapshot.path(index)
        attribute = next((name for name in _attributes_of_elements(large) if name in stores.attributes), None)
        if attribute is not None:
            return f"{snapshot.path(index)}[...].{attribute}"
    for index, tensor in snapshot.tensors:  # a store through NumPy does not change a tensor's version
        if any(not isinstance(value, torch.Tensor) and _share(tensor, value) for value in values):
            return snapshot.path(index)
    return None


def _values_of(names: set[str], frames: list[types.FrameType]) -> Iterator[Any]:
    """The values of variables with these names, in the frames or their modules."""
    for frame in frames:
        yield from (frame.f_globals[name] for name in names if name in frame.f_globals)
        if frame.f_code.co_flags & inspect.CO_OPTIMIZED:
            found = frame.f_locals
            yield from [found[name] for name in names if name in found]
            if type(found) is dict:  # before Python 3.13 the frame would keep these references
                found.clear()


def _attributes_of_elements(container: Any) -> list[str]:
    """The attribute names of the first element, which stands for all."""
    kinds: tuple[tuple[type, Any], ...] = (dict, dict.values), (list, list.__iter__), (tuple, tuple.__iter__), (deque, deque.__iter__)
    parts: Any = next((iterate(container) for kind, iterate in kinds if isinstance(container, kind)), ())
    try:
        return list(object.__getattribute__(next(iter(parts), None), "__dict__"))
    except AttributeError:
        return []


def _share(left: Any, right: Any) -> bool:
    if left is right:
        return True
    (begin, end), (other_begin, other_end) = _memory_of(left), _memory_of(right)
    return begin < other_end and other_begin < end


def _memory_of(value: Any) -> tuple[int, int]:
    numpy = sys.modules.get("numpy")
    try:
        if isinstance(value, torch.Tensor):
            return value.data_ptr(), value.data_ptr() + value.numel() * value.element_size()
        if numpy is not None and isinstance(value, numpy.ndarray):
            begin = value.__array_interface__["data"][0]
            return begin, begin + value.nbytes
    except Exception:
        pass
    return 0, 0


def users_frames() -> list[types.FrameType]:
    """User frames of this thread, the innermost first. Omits this frame, whose list would refer to itself."""
    frames: list[types.FrameType] = []
    frame: Optional[types.FrameType] = sys._getframe(1)
    while frame is not None:
        if _is_users(frame.f_globals):
            frames.append(frame)
        frame = frame.f_back
    return frames


def _users_functions(frames: list[types.FrameType]) -> tuple[dict[str, list[types.CodeType]], bool]:
    """(code objects by name, nested functions included; whether these are all)."""
    found: dict[str, list[types.CodeType]] = {}
    waiting: list[Any] = [frame.f_code for frame in frames]
    for module in list(sys.modules.values()):
        if type(module) is types.ModuleType and _is_users(vars(module)):
            waiting += vars(module).values()
    seen: set[int] = set()
    while waiting and len(seen) < _MOST_FUNCTIONS:
        value = waiting.pop()
        value = getattr(value, "__func__", value) if isinstance(value, (staticmethod, classmethod)) else value
        code = value.__code__ if isinstance(value, types.FunctionType) else value
        if id(code) in seen:
            continue
        if isinstance(code, types.CodeType) and is_users_file(code.co_filename):
            seen.add(id(code))
            found.setdefault(code.co_name, []).append(code)
            waiting += [part for part in code.co_consts if isinstance(part, types.CodeType)]
        elif isinstance(value, type) and _is_users(vars(sys.modules.get(value.__module__, sys))):
            seen.add(id(value))
            waiting += [part for name, part in vars(value).items() if name != "__init__"]
    return found, not waiting


def _is_users(module: dict[str, Any]) -> bool:
    name, file = module.get("__name__"), module.get("__file__")
    return name == "__main__" or (isinstance(file, str) and is_users_file(file) and str(name).partition(".")[0] != __package__)


def _add_stores(steps: list[dis.Instruction], stores: Stores) -> None:
    aliases: dict[Any, str] = {}  # variables that hold an attribute
    for index, step in enumerate(steps):
        before = steps[index - 1] if index else None
        container: Optional[dis.Instruction] = None
        if step.opname in ("STORE_SUBSCR", "DELETE_SUBSCR"):
            container = _producer(steps, _begin_of_in_place(steps, index), 2)
        elif step.opname == "STORE_SLICE":
            container = _producer(steps, index, 3)
        elif step.opname in ("LOAD_METHOD", "LOAD_ATTR") and step.argval in _MUTATORS:
            container = before
        elif step.opname == "STORE_ATTR":
            stores.attributes.add(step.argval)
        elif step.opname.startswith("STORE_") and before is not None:
            if before.opname == "LOAD_ATTR":
                aliases[step.argval] = before.argval
            elif before.opname.startswith("INPLACE_") or (before.opname == "BINARY_OP" and before.argrepr.endswith("=")):
                container = step
        if container is not None and container.opname == "LOAD_ATTR":
            stores.elements_of.add(container.argval)
        elif container is not None:
            names = container.argval if isinstance(container.argval, tuple) else (container.argval,)
            stores.variables.update(name for name in names if isinstance(name, str))
            stores.elements_of.update(aliases[name] for name in names if name in aliases)


def _begin_of_in_place(steps: list[dis.Instruction], index: int) -> int:
    """The index of the step that duplicates x and i in `x[i] += 1`; else `index` itself."""
    if index == 0 or steps[index - 1].opname not in ("ROT_THREE", "SWAP"):
        return index
    while index > 0 and steps[index].opname not in ("DUP_TOP_TWO", "COPY"):
        index -= 1
    return index - 1 if index > 0 and steps[index - 1].opname == "COPY" else index


def _producer(steps: list[dis.Instruction], index: int, depth: int) -> Optional[dis.Instruction]:
    """The step that pushed the `depth`th value from the top of the stack before the step at `index`. For an element of an element, the
    step that pushed the outermost container."""
    height = 0  # stack height relative to that before the step at `index`
    while index > 0:
        index -= 1
        step = steps[index]
        after = height
        height -= dis.stack_effect(step.opcode, step.arg if step.opcode >= dis.HAVE_ARGUMENT else None, jump=False)
        if after == 1 - depth:
            return _producer(steps, index, 2) if step.opname == "BINARY_SUBSCR" or step.argrepr == "[]" else step
    return None
