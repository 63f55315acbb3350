# SPDX-License-Identifier: Apache-2.0
"""Finds feedrate's program, and starts it as a helper of a script that the program has not started."""
from __future__ import annotations

import multiprocessing.util
import os
import select
import shutil
import signal
import socket
import subprocess
import sys
from typing import Optional

NOT_FOUND = (
    "feedrate: nothing is watched or tuned: there is no program feedrate next to this Python or on PATH; build it as the README "
    "says, and put its path into FEEDRATE_PROGRAM"
)

_START_S = 30
_END_S = 2  # timeout for the helper's output at the end of the script


def find_program() -> Optional[str]:
    """Returns FEEDRATE_PROGRAM, if set; else the program next to this package, next to the Python, or on PATH."""
    chosen = os.environ.get("FEEDRATE_PROGRAM")
    if chosen:
        return shutil.which(chosen)
    near = (os.path.join(os.path.dirname(__file__), "bin"), os.path.dirname(sys.executable))
    return next(filter(None, (shutil.which("feedrate", path=folder) for folder in (*near, None))), None)


def socket_path() -> Optional[str]:
    """The socket of the listening program: `feedrate run`, or a helper that this function starts. If there is none, prints a line to
    stderr and returns None."""
    if os.environ.get("FEEDRATE_RUN"):
        return os.environ["FEEDRATE_RUN"]
    program = find_program()
    if program is None:
        print(NOT_FOUND, file=sys.stderr)
        return None
    try:
        path = _start(program)
    except OSError as error:
        print(f"feedrate: nothing is watched or tuned: {program} does not listen: {error}", file=sys.stderr)
        return None
    os.environ["FEEDRATE_RUN"] = path
    return path


def _start(program: str) -> str:
    """Starts the helper and returns the path of its socket once it listens. The helper runs in the background: it is no child of this
    process, whose own wait() would otherwise see its end, and Ctrl-C does not reach its session. Raises OSError."""
    ours, its = socket.socketpair()  # closes when this process and all its forks have ended, also by a signal
    try:
        launcher = subprocess.Popen([program, "run", "--listen"], stdin=its.fileno(), stdout=its.fileno(), start_new_session=True)
    except BaseException:
        ours.close()
        raise
    finally:
        its.close()
    try:
        path = _ready(ours, launcher)
    except BaseException:
        _kill(launcher.pid)
        launcher.wait()
        ours.close()
        raise
    multiprocessing.util.Finalize(None, _end, (ours, path), exitpriority=99)  # runs after session.py's
    return path


def _ready(ours: socket.socket, launcher: subprocess.Popen[bytes]) -> str:
    ours.settimeout(_START_S)
    with ours.makefile("rb", buffering=0) as output:
        words = output.readline().split(maxsplit=1)
    launcher.wait()
    if len(words) != 2 or words[0] != b"ready":
        raise OSError("it has not become ready")
    return os.fsdecode(words[1].rstrip(b"\n"))


def _end(ours: socket.socket, path: str) -> None:
    """Waits for the helper's output at its end. If the helper was killed, removes its folder."""
    waiting = select.poll()
    waiting.register(ours, select.POLLHUP)
    if waiting.poll(_END_S * 1000):
        shutil.rmtree(os.path.dirname(path), ignore_errors=True)


def _kill(group: int) -> None:
    try:
        os.killpg(group, signal.SIGKILL)
    except OSError:
        pass
