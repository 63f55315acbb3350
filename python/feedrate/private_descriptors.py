# SPDX-License-Identifier: Apache-2.0
"""What forked workers would share with the training process by their descriptors. Linux only; elsewhere nothing is known.

A fork shares the offset of each open file, and both ends of each connection. Two processes that seek and read in one file, or ask one
server over one socket, get each other's bytes without an error. A trial worker therefore gets files of its own, and connections that
fail at their first use.
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
_FIRST = 3  # the standard streams stay the script's
_BATCHES = "/dev/shm/torch_"  # of PyTorch's workers
_KEPT_FLAGS = os.O_ACCMODE | os.O_APPEND | os.O_DIRECT | os.O_NOATIME | os.O_SYNC
_TCP_INFO_BYTES = 136
_TCP_COUNTS = struct.Struct("=2Q")  # tcpi_bytes_acked, tcpi_bytes_received of struct tcp_info (linux/tcp.h), Linux 4.1
_TCP_COUNTS_AT = 120

Identity = tuple[int, int]  # of a descriptor's file: device and inode
Offsets = dict[tuple[int, int, int], int]  # by descriptor, device and inode
Counts = dict[tuple[int, int, int], tuple[int, int]]


class Inherited(NamedTuple):
    descriptor: int
    identity: Identity
    is_file: bool


def inherited(kept: frozenset[int] = frozenset(), written: bool = False) -> list[Inherited]:
    """The regular files open for reading, and the connections (sockets, pipes, eventfds and the like), but for the standard streams,
    multiprocessing's own and those in `kept`. `written`: also the files that are open for writing only, as if they were connections."""
    kept = kept | _multiprocessing_descriptors()
    streams = _streams()
    found = []
    for descriptor in _descriptors():
        with contextlib.suppress(OSError, ValueError, KeyError):  # closed in between
            entry = None if descriptor in kept else _inherited(descriptor, written)
            if entry is not None and entry.identity not in streams:
                found.append(entry)
    return found


def make_private(entries: list[Inherited]) -> None:
    """In a forked worker, before it loads: opens each file again at the same offset, and puts a descriptor that fails in the place of
    each connection and of each file that cannot be opened again."""
    with contextlib.ExitStack() as stack:
        failing = os.open("/", os.O_PATH | os.O_CLOEXEC)  # reading, writing and polling it is an error
        stack.callback(os.close, failing)
        for descriptor, identity, is_file in entries:
            if _identity(descriptor) == identity:
                replacement = _opened_again(descriptor) if is_file else None
                os.dup2(failing if replacement is None else replacement, descriptor, os.get_inheritable(descriptor))
                if replacement is not None:
                    os.close(replacement)


def offsets() -> Offsets:
    """Of the regular files that are open for reading."""
    found: Offsets = {}
    for descriptor in _descriptors():
        with contextlib.suppress(OSError, ValueError, KeyError):
            entry = _inherited(descriptor)
            if entry is not None and entry.is_file:
                device, inode = entry.identity
                found[descriptor, device, inode] = int(_info(descriptor)["pos"])
    return found


def moved(before: Offsets, is_shared: bool = False) -> Optional[str]:
    """A file whose offset is not what it was, or not its beginning where it was opened since; None: none. `is_shared`: only those
    that make_private() does not keep apart: that are a standard stream, too, or are also written."""
    streams = _streams()
    for (descriptor, device, inode), offset in offsets().items():
        if offset != before.get((descriptor, device, inode), 0):
            path = _target(descriptor)
            if path and not path.startswith(_BATCHES) and (not is_shared or (device, inode) in streams or _is_written(descriptor)):
                return path
    return None


def tcp_counts() -> Counts:
    """Bytes that went over each connected TCP socket, acknowledged and received."""
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
    """For people: what a connection leads to."""
    try:
        with socket.socket(fileno=os.dup(descriptor)) as connection:
            name = connection.getpeername()
        return f"{name[0]}:{name[1]}" if isinstance(name, tuple) else os.fsdecode(name) or "a socket"
    except OSError:
        return _target(descriptor) or "a descriptor"


def free_descriptors() -> int:
    """How many more this process may open."""
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
    """Those of its queues, whose locks let several processes use them, and of its helper processes."""
    found = {
        getattr(multiprocessing.resource_tracker._resource_tracker, "_fd", None),
        getattr(multiprocessing.forkserver._forkserver, "_forkserver_alive_fd", None),
    }
    for owner in list(getattr(multiprocessing.util, "_afterfork_registry", {}).values()):
        for end in (getattr(owner, "_reader", None), getattr(owner, "_writer", None)):
            if end is not None:
                with contextlib.suppress(Exception):  # one that is closed
                    found.add(end.fileno())
    return frozenset(number for number in found if isinstance(number, int))
