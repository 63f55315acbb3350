# SPDX-License-Identifier: Apache-2.0
"""Finds and replaces descriptors that forked workers would share with the training process. Linux only; elsewhere it finds none.

A fork shares the offset of each open file, and both ends of each connection. Two processes that seek and read in one file, or query one
server over one socket, get each other's bytes without an error. A trial worker therefore gets its own open files, and connections
that fail at their first use.
"""
from __future__ import annotations

import contextlib
import multiprocessing.forkserver
import multiprocessing.resource_tracker
import multiprocessing.util
import os
import socket
import stat
import struct
from typing import NamedTuple, Optional

_FD = "/proc/self/fd"
_FDINFO = "/proc/self/fdinfo"
_FIRST = 3  # excludes the standard streams
_BATCHES = "/dev/shm/torch_"  # shared memory of PyTorch's workers
_KEPT_FLAGS = os.O_ACCMODE | os.O_APPEND | os.O_DIRECT | os.O_NOATIME | os.O_SYNC
_TCP_INFO_BYTES = 136
_TCP_COUNTS = struct.Struct("=2Q")  # tcpi_bytes_acked, tcpi_bytes_received of struct tcp_info (linux/tcp.h), Linux 4.1
_TCP_COUNTS_AT = 120

Identity = tuple[int, int]  # a file's device and inode
Offsets = dict[tuple[int, int, int], int]  # (descriptor, device, inode) -> offset
Counts = dict[tuple[int, int, int], tuple[int, int]]


class Inherited(NamedTuple):
    descriptor: int
    identity: Identity
    is_file: bool


def inherited(kept: frozenset[int] = frozenset(), written: bool = False) -> list[Inherited]:
    """The regular files open for reading, and the connections (sockets, pipes, eventfds and the like). Excludes the standard streams, the
    descriptors of multiprocessing, and `kept`. `written`: also the files open for writing only, treated as connections."""
    kept = kept | _multiprocessing_descriptors()
    streams = _streams()
    found = []
    for descriptor in _descriptors():
        with contextlib.suppress(OSError, ValueError, KeyError):  # closed concurrently
            entry = None if descriptor in kept else _inherited(descriptor, written)
            if entry is not None and entry.identity not in streams:
                found.append(entry)
    return found


def make_private(entries: list[Inherited]) -> None:
    """Called in a forked worker before it loads. Opens each file again at the same offset. Replaces each connection, and each file that
    cannot be opened again, by a descriptor that fails."""
    with contextlib.ExitStack() as stack:
        failing = os.open("/", os.O_PATH | os.O_CLOEXEC)  # O_PATH: reading, writing and polling it fail
        stack.callback(os.close, failing)
        for descriptor, identity, is_file in entries:
            if _identity(descriptor) == identity:
                replacement = _opened_again(descriptor) if is_file else None
                os.dup2(failing if replacement is None else replacement, descriptor, os.get_inheritable(descriptor))
                if replacement is not None:
                    os.close(replacement)


def offsets() -> Offsets:
    found: Offsets = {}
    for descriptor in _descriptors():
        with contextlib.suppress(OSError, ValueError, KeyError):
            entry = _inherited(descriptor)
            if entry is not None and entry.is_file:
                device, inode = entry.identity
                found[descriptor, device, inode] = int(_info(descriptor)["pos"])
    return found


def moved(before: Offsets, is_shared: bool = False) -> Optional[str]:
    """The path of a file whose offset changed, or is not 0 if it was opened since `before`; None if there is none. `is_shared`: only
    files that make_private() leaves shared: standard streams, and files that are also written."""
    streams = _streams()
    for (descriptor, device, inode), offset in offsets().items():
        if offset != before.get((descriptor, device, inode), 0):
            path = _target(descriptor)
            if path and not path.startswith(_BATCHES) and (not is_shared or (device, inode) in streams or _is_written(descriptor)):
                return path
    return None


def tcp_counts() -> Counts:
    found: Counts = {}
    for descriptor in _descriptors():
        with contextlib.suppress(OSError, struct.error):
            status = os.fstat(descriptor)
            if stat.S_ISSOCK(status.st_mode):
                with socket.socket(fileno=os.dup(descriptor)) as connection:
                    info = connection.getsockopt(socket.IPPROTO_TCP, socket.TCP_INFO, _TCP_INFO_BYTES)
                found[descriptor, status.st_dev, status.st_ino] = _TCP_COUNTS.unpack_from(info, _TCP_COUNTS_AT)
    return found


def peer(descriptor: int) -> str:
    try:
        with socket.socket(fileno=os.dup(descriptor)) as connection:
            name = connection.getpeername()
        return f"{name[0]}:{name[1]}" if isinstance(name, tuple) else os.fsdecode(name) or "a socket"
    except OSError:
        return _target(descriptor) or "a descriptor"


def free_descriptors() -> int:
    import resource

    limit = resource.getrlimit(resource.RLIMIT_NOFILE)[0]
    return (1 << 30) if limit == resource.RLIM_INFINITY else limit - len(_descriptors())


def _descriptors() -> list[int]:
    try:
        return [number for number in map(int, os.listdir(_FD)) if number >= _FIRST]
    except OSError:
        return []


def _inherited(descriptor: int, written: bool = False) -> Optional[Inherited]:
    status = os.fstat(descriptor)
    identity = status.st_dev, status.st_ino
    if stat.S_ISREG(status.st_mode):
        is_read = int(_info(descriptor)["flags"], 8) & os.O_ACCMODE != os.O_WRONLY
        is_others = (is_read or written) and not _target(descriptor).startswith(_BATCHES)
        return Inherited(descriptor, identity, is_read) if is_others else None
    is_connection = stat.S_ISSOCK(status.st_mode) or stat.S_ISFIFO(status.st_mode) or _target(descriptor).startswith("anon_inode:")
    return Inherited(descriptor, identity, False) if is_connection else None


def _opened_again(descriptor: int) -> Optional[int]:
    try:
        info = _info(descriptor)
        flags = int(info["flags"], 8) & _KEPT_FLAGS
        opened = os.open(f"{_FD}/{descriptor}", flags | os.O_CLOEXEC)
        os.lseek(opened, int(info["pos"]), os.SEEK_SET)
        return opened
    except (OSError, ValueError, KeyError):
        return None


def _info(descriptor: int) -> dict[str, str]:
    with open(f"{_FDINFO}/{descriptor}", encoding="ascii") as file:
        return dict(line.split(":", 1) for line in file.read().splitlines() if ":" in line)


def _target(descriptor: int) -> str:
    try:
        return os.readlink(f"{_FD}/{descriptor}")
    except OSError:
        return ""


def _is_written(descriptor: int) -> bool:
    try:
        return int(_info(descriptor)["flags"], 8) & os.O_ACCMODE != os.O_RDONLY
    except (OSError, ValueError, KeyError):
        return True


def _streams() -> set[Identity]:
    return {identity for identity in map(_identity, range(_FIRST)) if identity is not None}


def _identity(descriptor: int) -> Optional[Identity]:
    try:
        status = os.fstat(descriptor)
    except OSError:
        return None
    return status.st_dev, status.st_ino


def _multiprocessing_descriptors() -> frozenset[int]:
    """The descriptors of multiprocessing: its queues, whose locks allow sharing, and its helper processes."""
    found = {
        getattr(multiprocessing.resource_tracker._resource_tracker, "_fd", None),
        getattr(multiprocessing.forkserver._forkserver, "_forkserver_alive_fd", None),
    }
    for owner in list(getattr(multiprocessing.util, "_afterfork_registry", {}).values()):
        for end in (getattr(owner, "_reader", None), getattr(owner, "_writer", None)):
            if end is not None:
                with contextlib.suppress(Exception):
                    found.add(end.fileno())
    return frozenset(number for number in found if isinstance(number, int))
