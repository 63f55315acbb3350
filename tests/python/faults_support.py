# SPDX-License-Identifier: Apache-2.0
"""Runs a script without feedrate and under `feedrate run --tune`, and compares how both end and what they leave behind."""
from __future__ import annotations

import contextlib
import ctypes
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import textwrap
import time
import unittest
import uuid
from typing import Any, Callable, Iterator, NamedTuple, Optional

LIMIT_S = 300
FEEDRATE = pathlib.Path(sys.argv[1]).resolve() if len(sys.argv) > 1 else pathlib.Path("feedrate")

_PR_SET_CHILD_SUBREAPER = 36
_CLONE_NEWNS = 0x20000
_libc = ctypes.CDLL(None, use_errno=True)

# Begins each script. train() prints whether each batch was the right one, and what the training drew.
BEGIN = """
import json, multiprocessing, os, resource, shutil, signal, subprocess, sys, time
import torch
from torch.utils.data import DataLoader, Dataset

IS_RUN, IS_TUNED = "FEEDRATE_RUN" in os.environ, "FEEDRATE_TUNE" in os.environ
MOST = 20000
ORDER = torch.randperm(4 * MOST + 400, generator=torch.Generator().manual_seed(3)).tolist()
open("pid", "w").write(str(os.getpid()))

class Numbers(Dataset):
    def __len__(self):
        return len(ORDER)

    def __getitem__(self, index):
        time.sleep(0.0005)
        size = 16384 if os.path.exists("grown") else 1
        return torch.full((size,), float(index)), 0

def force_a_trial():
    '''Where the program does not ask for one soon, as on a busy machine: tuning ends at a certain cost.'''
    from feedrate import patch
    settings = {"num_workers": 2, "prefetch_factor": 2, "pin_memory": False, "persistent_workers": False, "in_order": True}
    patch._session.on_message({"event": "switch", "loader": 0, "request": 10**6, "at": 0, "settings": settings})

always = lambda iterator, others: True
tried = lambda iterator, others: others  # the batch comes from trial workers, with these process ids
failed = lambda iterator, others: getattr(iterator, "failure", None) is not None

def trial_workers_of(iterator):
    return set(iterator._epochs.workers) if getattr(iterator, "_is_trial", False) else set()

def train(*stages, workers=0, steps=40, **arguments):
    '''Each stage is a condition, which holds at once where the script is untouched, and what is done then.'''
    torch.manual_seed(3)
    iterator = iter(DataLoader(Numbers(), 4, sampler=ORDER, num_workers=workers, **arguments))
    stages, drawn, right, last = [*stages, (always, lambda _: None)], [], True, MOST
    for step, (numbers, _) in enumerate(iterator):
        right = right and numbers[:, 0].tolist() == ORDER[4 * step : 4 * step + 4]
        drawn.append(float(torch.rand(1)))
        others = trial_workers_of(iterator)
        if step < 5:
            pass
        elif stages and (not IS_TUNED or stages[0][0](iterator, others)):
            stages.pop(0)[1](others)
            last = step + steps if not stages else MOST
        elif step == 600 and hasattr(iterator, "failure"):
            force_a_trial()
        if step == last:
            break
        time.sleep(0.001)
    # One write, because an unbuffered print() writes word by word, and a child could write in between.
    sys.stdout.write(f"in order: {right} drew: {sum(drawn[:40])} stages left: {len(stages)}\\n")
"""


class Ending(NamedTuple):
    status: int  # as in subprocess: below 0 a signal
    out: str
    err: str
    summary: str  # feedrate's stderr
    left: list[str]  # in the temporary folder
    folder: pathlib.Path


def alive(mark: str) -> list[int]:
    found = []
    for entry in pathlib.Path("/proc").iterdir():
        with contextlib.suppress(OSError):
            if entry.name.isdigit() and mark.encode() in (entry / "environ").read_bytes():
                found.append(int(entry.name))
    return found


class Run:
    """A run, with or without feedrate. `around`: a command that starts it; `options`: feedrate's; `arguments`: Python's; `prepare`: called
    with the temporary folder."""

    def __init__(
        self,
        folder: pathlib.Path,
        script: str,
        is_tuned: bool,
        around: tuple[str, ...] = (),
        options: tuple[str, ...] = ("--tune",),
        arguments: tuple[str, ...] = ("train.py",),
        prepare: Callable[[pathlib.Path], None] = lambda temporary: None,
        **popen: Any,
    ) -> None:
        self.folder = folder
        self.mark = f"FAULTS_MARK={uuid.uuid4()}"
        name, value = self.mark.split("=")
        (folder / "tmp").mkdir(parents=True)
        prepare(folder / "tmp")
        (folder / "train.py").write_text(BEGIN + textwrap.dedent(script))
        feedrate = [str(FEEDRATE), "run", *options, "--out", "results", "--"] if is_tuned else []
        command = [*around, *feedrate, "sh", "-c", 'exec "$@" 2>err', "sh", sys.executable, *arguments]
        environment = {**os.environ, "TMPDIR": str(folder / "tmp"), name: value, "OMP_NUM_THREADS": "1"}
        with open(folder / "out", "wb") as out, open(folder / "summary", "wb") as summary:
            usual = {"cwd": folder, "env": environment, "stdout": out, "stderr": summary, "stdin": subprocess.DEVNULL}
            self.process = subprocess.Popen(command, **{**usual, "start_new_session": True, **popen})

    def script(self) -> int:
        self.wait_for(lambda: self._text("pid"), "the script to begin")
        return int(self._text("pid"))

    def wait_for(self, condition: Callable[[], Any], what: str) -> None:
        until = time.monotonic() + LIMIT_S
        while not condition():
            if time.monotonic() > until:
                raise AssertionError(f"waited for {what}:\n{self._text('err')}\n{self._text('summary')}")
            time.sleep(0.02)

    def ending(self, status: Callable[[], int]) -> Ending:
        """Waits for the run by `status`, and for all of its processes to end by themselves."""
        code = status()
        self.wait_for(lambda: not alive(self.mark), "all processes to end")
        left = sorted(path.name for path in (self.folder / "tmp").glob("*"))
        return Ending(code, self._text("out"), self._without_ours(self._text("err")), self._text("summary"), left, self.folder)

    def kill(self) -> None:
        for process in alive(self.mark):
            with contextlib.suppress(OSError):
                os.kill(process, signal.SIGKILL)

    def _text(self, name: str) -> str:
        with contextlib.suppress(OSError):
            return (self.folder / name).read_text()
        return ""

    def _without_ours(self, text: str) -> str:
        """Removes feedrate's frames from a traceback, process numbers, and the folder."""
        text = re.sub(r'  File ".*/feedrate/\w+\.py".*\n(    .*\n( *[~^]+\n)?)?', "", text)
        return re.sub(r"pid\(?s?\)? ?[\d, ]+|0x\w+", "…", text.replace(str(self.folder), ""))


class Faults(unittest.TestCase):
    maxDiff = None

    def setUp(self) -> None:
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="feedrate-faults-"))
        self.runs: list[Run] = []
        self.addCleanup(self._clean)

    def _clean(self) -> None:
        for run in self.runs:
            run.kill()
            run.process.wait()
        with contextlib.suppress(ChildProcessError):
            while os.waitpid(-1, os.WNOHANG)[0]:
                pass
        shutil.rmtree(self.folder, ignore_errors=True)

    def start(self, name: str, script: str, **how: Any) -> Run:
        self.runs.append(Run(self.folder / f"{len(self.runs)}", script, name == "tuned", **how))
        return self.runs[-1]

    def expect_the_same(self, script: str, status: Optional[int] = 0, **how: Any) -> Ending:
        """Runs the script both ways concurrently, and returns the ending of the tuned run, which must leave nothing behind."""
        runs = [self.start(name, script, **how) for name in ("untouched", "tuned")]
        return self.compare(*[run.ending(run.process.wait) for run in runs], status)

    def compare(self, untouched: Ending, tuned: Ending, status: Optional[int]) -> Ending:
        if status is not None:
            self.assertEqual(untouched.status, status, untouched.err)
        self.assertEqual((tuned.status, tuned.out, tuned.err), (untouched.status, untouched.out, untouched.err), tuned.summary)
        self.assertEqual([name for name in tuned.left if name.startswith("fr-")], [])
        self.assertEqual(len(tuned.left), len(untouched.left), tuned.left)
        if has_own_shm:
            left = os.listdir("/dev/shm")
            for name in left:
                os.unlink(f"/dev/shm/{name}")
            self.assertEqual(left, [])
        return tuned


def _mount(*arguments: str) -> Optional[str]:
    """Mounts; returns the error, or None."""
    done = subprocess.run(["mount", *arguments], capture_output=True, text=True)
    return done.stderr.strip() or None if done.returncode else None


def _own_mounts() -> Optional[str]:
    if _libc.unshare(_CLONE_NEWNS) != 0:
        return f"this machine has no mounts of our own for a test: {os.strerror(ctypes.get_errno())}"
    why_not = _mount("--make-rprivate", "/") or _mount("-t", "tmpfs", "none", "/dev/shm")
    return f"this machine may not mount a tmpfs: {why_not}" if why_not else None


@contextlib.contextmanager
def shm_of(size: str) -> Iterator[None]:
    _mount("-o", f"remount,size={size}", "/dev/shm")
    try:
        yield
    finally:
        _mount("-o", "remount,size=50%", "/dev/shm")


def mount_tmpfs(folder: pathlib.Path, size: str) -> None:
    why_not = _mount("-t", "tmpfs", "-o", f"size={size}", "none", str(folder))
    if why_not:
        raise unittest.SkipTest(f"this machine may not mount a tmpfs: {why_not}")


def begin() -> None:
    """Called once by the test program: adopts orphans, and mounts its own /dev/shm if allowed."""
    global has_own_shm, why_no_own_shm
    _libc.prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    why_no_own_shm = _own_mounts()
    has_own_shm = why_no_own_shm is None


has_own_shm = False
why_no_own_shm: Optional[str] = None
