# SPDX-License-Identifier: Apache-2.0
"""Facts of the machine during a study: the CPU use of other programs, its hardware, and the Pythons with their packages."""
from __future__ import annotations

import contextlib
import json
import os
import platform
import resource
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import Optional, Sequence

LOADERS = Path(__file__).resolve().parent / "loaders"


# Kernel threads that serve reads and writes: those of the study, if nobody else runs.
STORAGE_THREADS = ("kworker", "ksoftirqd", "kblockd", "jbd2", "kswapd")


class CpuMeter:
    """Measures the CPU use of other programs since its creation, a hypervisor's stolen time included. Our own processes count once they
    have ended and were waited for, so call it when none runs. Kernel threads for storage and interrupts are not counted."""

    def __init__(self) -> None:
        self._busy, self._total = _machine_seconds()
        self._own = _own_seconds()
        self._kernel = _storage_seconds()

    def foreign(self, counted: float) -> float:
        """The share of all CPUs within `counted` seconds, even if the use was earlier, so that a long start does not dilute it."""
        busy, total = _machine_seconds()
        now = _storage_seconds()  # per thread: a thread that has ended no longer reports its time
        kernel = sum(used - self._kernel.get(thread, 0.0) for thread, used in now.items())
        others = (busy - self._busy) - (_own_seconds() - self._own) - kernel
        return min(max(0.0, others) / max(min(total - self._total, counted * (os.cpu_count() or 1)), 1e-9), 1.0)


def _machine_seconds() -> tuple[float, float]:
    """(busy, total) seconds of all CPUs: proc(5), /proc/stat."""
    with open("/proc/stat", encoding="ascii") as file:
        user, nice, system, idle, iowait, irq, softirq, steal = map(int, file.readline().split()[1:9])
    tick = os.sysconf("SC_CLK_TCK")
    busy = user + nice + system + steal
    return busy / tick, (busy + idle + iowait + irq + softirq) / tick


def _storage_seconds() -> dict[tuple[str, str], float]:
    """CPU seconds of the kernel's storage threads, by (number, start time): proc(5), /proc/PID/stat."""
    found = {}
    for path in Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(OSError):
            used = storage_thread(path.read_text(errors="replace"))
            if used is not None:
                found[used[0]] = used[1]
    return found


def storage_thread(stat: str) -> Optional[tuple[tuple[str, str], float]]:
    """((number, start time), CPU seconds) of a kernel storage thread; None for user processes, whatever their names."""
    number, name = stat[: stat.rindex(")")].split(" (", 1)
    rest = stat[stat.rindex(")") + 2 :].split()
    is_kernel = int(rest[6]) & 0x00200000  # PF_KTHREAD
    if not is_kernel or not name.startswith(STORAGE_THREADS):
        return None
    return (number, rest[19]), (int(rest[11]) + int(rest[12])) / os.sysconf("SC_CLK_TCK")


def _own_seconds() -> float:
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(one.ru_utime + one.ru_stime for one in used)


def cores() -> int:
    return len(os.sched_getaffinity(0))


def facts() -> list[str]:
    """Describes the machine without host and user names, because results are published."""
    model, memory = platform.machine(), "?"
    for line in _lines("/proc/cpuinfo"):
        if line.startswith("model name"):
            model = line.split(":", 1)[1].strip()
            break
    for line in _lines("/proc/meminfo"):
        if line.startswith("MemTotal"):
            memory = f"{int(line.split()[1]) / 2**20:.0f} GiB"
    return [f"{cores()} usable CPUs, {model}", memory, f"Linux {platform.release()}", f"Python {platform.python_version()}"]


def _lines(path: str) -> list[str]:
    try:
        return Path(path).read_text(errors="replace").splitlines()
    except OSError:
        return []


@dataclass(frozen=True)
class Python:
    path: str
    version: str
    found: dict[str, str]
    missing: dict[str, str]

    def has(self, modules: Sequence[str]) -> bool:
        return all(module in self.found for module in modules)


def look_into(python: str, modules: Sequence[str]) -> Python:
    """Exits if there is no such Python, because a typing mistake must not look like missing peers."""
    try:
        done = subprocess.run([python, str(LOADERS / "versions.py"), *modules], capture_output=True, text=True, timeout=600)
        answer = json.loads(done.stdout.splitlines()[-1])
    except (OSError, subprocess.TimeoutExpired) as error:
        raise SystemExit(f"--python {python}: {error}") from None
    except (IndexError, ValueError):
        raise SystemExit(f"--python {python}: not a working Python 3: {done.stderr.strip()}") from None
    return Python(python, answer["python"], answer["found"], answer["missing"])


def which_has(pythons: Sequence[Python], modules: Sequence[str]) -> Optional[Python]:
    return next((python for python in pythons if python.has(modules)), None)
