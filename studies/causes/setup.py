# SPDX-License-Identifier: Apache-2.0
"""Makes the surroundings that a script needs: other programs, a quota, a narrow affinity, a cold cache, little memory, a small /dev/shm, a server.

    with surroundings("neighbors=6", data) as around:
        subprocess.run([*around.prefix, python, script], env={**os.environ, **around.environment})

Each is a context manager that ends what it started, also on Ctrl-C. `Unavailable` says what the machine lacks. A setup is NAME=ARGUMENT:
neighbors=N (processes that compute), quota=CPUS (CPU time, by a cgroup), affinity=N (CPUs), cold=NAME (the data of NAME leave the page
cache, again and again), memory=MB,NAME (memory of a cgroup; the data of NAME start cold), shm=MB (size of /dev/shm), http=SECONDS and
lines=SECONDS (a server on this machine with this latency; its address is CAUSES_SERVER). Quota, memory and shm need root.
"""
from __future__ import annotations

import contextlib
import dataclasses
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import threading
import time
from typing import Callable, Iterator, Sequence

CGROUPS = pathlib.Path("/sys/fs/cgroup")
NEIGHBOR = "while True: sum(range(1000))"
# The child ends with its parent, even if that is killed.
END_WITH_PARENT = "import ctypes, signal; ctypes.CDLL(None).prctl(1, signal.SIGKILL)\n"


class Unavailable(Exception):
    pass


@dataclasses.dataclass
class Around:
    prefix: list[str] = dataclasses.field(default_factory=list)  # of the command
    environment: dict[str, str] = dataclasses.field(default_factory=dict)


@contextlib.contextmanager
def surroundings(text: str, data: pathlib.Path) -> Iterator[Around]:
    """Sets up what `text` describes; nothing, if it is empty."""
    if not text:
        yield Around()
        return
    name, _, argument = text.partition("=")
    if name not in SETUPS:
        raise ValueError(f"setup {text!r}: unknown name; expected one of {', '.join(SETUPS)}")
    with SETUPS[name](argument, data) as around:
        yield around


@contextlib.contextmanager
def children(commands: Sequence[Sequence[str]]) -> Iterator[list[subprocess.Popen]]:
    started: list[subprocess.Popen] = []
    try:
        for command in commands:
            started.append(subprocess.Popen(command, stdout=subprocess.PIPE, text=True, start_new_session=True))
        yield started
    finally:
        for child in started:
            child.kill()
        for child in started:
            child.wait()
            child.stdout.close()


@contextlib.contextmanager
def neighbors(argument: str, data: pathlib.Path) -> Iterator[Around]:
    command = [sys.executable, "-c", END_WITH_PARENT + NEIGHBOR]
    with children([command] * int(argument)):
        yield Around()


@contextlib.contextmanager
def affinity(argument: str, data: pathlib.Path) -> Iterator[Around]:
    allowed = sorted(os.sched_getaffinity(0))
    if len(allowed) <= int(argument):
        raise Unavailable(f"affinity: this process may use {len(allowed)} CPUs; at least {int(argument) + 1} are needed")
    yield Around(["taskset", "-c", ",".join(map(str, allowed[: int(argument)]))])


@contextlib.contextmanager
def quota(argument: str, data: pathlib.Path) -> Iterator[Around]:
    period = 100_000
    time_of_period = int(float(argument) * period)
    with cgroup("cpu", {"cpu.cfs_period_us": str(period), "cpu.cfs_quota_us": str(time_of_period)}, {"cpu.max": f"{time_of_period} {period}"}) as around:
        yield around


@contextlib.contextmanager
def memory(argument: str, data: pathlib.Path) -> Iterator[Around]:
    megabytes, name = argument.split(",")
    limit = str(int(megabytes) << 20)
    drop(files_of(data / name))  # cached pages belong to the cgroup that read them
    with cgroup("memory", {"memory.limit_in_bytes": limit}, {"memory.max": limit}) as around:
        yield around


@contextlib.contextmanager
def cgroup(controller: str, settings: dict[str, str], settings_of_v2: dict[str, str]) -> Iterator[Around]:
    """A child of this process's control group, of version 1 or 2; the command joins it."""
    own = {fields[1]: fields[2] for fields in (line.split(":", 2) for line in pathlib.Path("/proc/self/cgroup").read_text().split())}
    is_first = controller in own
    root = CGROUPS / controller if is_first else CGROUPS
    parent = root / own.get(controller, own.get("", "/")).lstrip("/")
    folder = (parent if parent.is_dir() else root) / f"causes-{os.getpid()}"
    try:
        if not is_first:
            with contextlib.suppress(OSError):
                (folder.parent / "cgroup.subtree_control").write_text(f"+{controller}")
        folder.mkdir()
    except OSError as error:
        raise Unavailable(f"{controller}: no cgroup can be made: {error}; run as root, with cgroup {controller} writable") from error
    try:
        try:
            for name, value in (settings if is_first else settings_of_v2).items():
                (folder / name).write_text(value)
        except OSError as error:
            raise Unavailable(f"{controller}: the cgroup cannot be set up: {error}; enable the {controller} controller for {folder.parent}") from error
        yield Around(["sh", "-c", 'echo $$ > "$0" && exec "$@"', str(folder / "cgroup.procs")])
    finally:
        remove(folder)


def remove(folder: pathlib.Path) -> None:
    """Ends what is left in a cgroup, and removes it."""
    for _ in range(100):
        for pid in (folder / "cgroup.procs").read_text().split():
            with contextlib.suppress(ProcessLookupError):
                os.kill(int(pid), signal.SIGKILL)
        with contextlib.suppress(OSError):
            folder.rmdir()
            return
        time.sleep(0.05)
    print(f"setup: {folder} could not be removed", file=sys.stderr)


@contextlib.contextmanager
def shm(argument: str, data: pathlib.Path) -> Iterator[Around]:
    """A mount namespace of its own, as a container has."""
    mount = f"mount -t tmpfs -o size={int(argument)}m tmpfs /dev/shm"
    if shutil.which("unshare") is None or subprocess.run(["unshare", "-m", "sh", "-c", mount], capture_output=True).returncode != 0:
        raise Unavailable("shm: no small /dev/shm can be mounted; run as root, with unshare")
    yield Around(["unshare", "-m", "sh", "-c", f'{mount} && exec "$@"', "sh"])


@contextlib.contextmanager
def cold(argument: str, data: pathlib.Path) -> Iterator[Around]:
    files = files_of(data / argument)
    is_over = threading.Event()

    def keep_cold() -> None:
        while not is_over.wait(0.1):
            drop(files)

    drop(files)
    dropper = threading.Thread(target=keep_cold, daemon=True)
    dropper.start()
    try:
        yield Around()
    finally:
        is_over.set()
        dropper.join()


def files_of(folder: pathlib.Path) -> list[pathlib.Path]:
    if not folder.is_dir():
        raise Unavailable(f"{folder}: does not exist; run the script once, so that it makes its data")
    return [path for path in folder.rglob("*") if path.is_file()]


def drop(files: Sequence[pathlib.Path]) -> None:
    for path in files:
        file = os.open(path, os.O_RDONLY)
        os.posix_fadvise(file, 0, 0, os.POSIX_FADV_DONTNEED)
        os.close(file)


@contextlib.contextmanager
def server(kind: str, seconds: str) -> Iterator[Around]:
    with children([[sys.executable, str(pathlib.Path(__file__).with_name("server.py")), kind, seconds]]) as (child,):
        address = child.stdout.readline().strip()
        if not address:
            raise Unavailable(f"{kind}: the server did not start")
        yield Around(environment={"CAUSES_SERVER": address})


SETUPS: dict[str, Callable[[str, pathlib.Path], contextlib.AbstractContextManager]] = {
    "affinity": affinity,
    "cold": cold,
    "http": lambda argument, data: server("http", argument),
    "lines": lambda argument, data: server("lines", argument),
    "memory": memory,
    "neighbors": neighbors,
    "quota": quota,
    "shm": shm,
}
