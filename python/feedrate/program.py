# SPDX-License-Identifier: Apache-2.0
"""Where feedrate's program is, and how it is started as a helper of a script that was not started by it."""
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
    "feedrate: nothing is watched or tuned: there is no program feedrate beside this Python or on PATH; build it as the README "
    "says, and put its path into FEEDRATE_PROGRAM"
)

_START_S = 30  # to wait for the helper's socket
_END_S = 2  # to wait, at the end of the script, for what the helper says at its end


def find_program() -> Optional[str]:
    """FEEDRATE_PROGRAM, where it is set; else beside this package, beside the Python, or on PATH."""
    chosen = os.environ.get("FEEDRATE_PROGRAM")
    if chosen:
        return shutil.which(chosen)
    beside = (os.path.join(os.path.dirname(__file__), "bin"), os.path.dirname(sys.executable))
    return next(filter(None, (shutil.which("feedrate", path=folder) for folder in (*beside, None))), None)


def socket_path() -> Optional[str]:
    """Of the program that listens: `feedrate run`, or a helper, which is started where there is none. None, said in a line on
    stderr, where none can be."""
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
    os.environ["FEEDRATE_RUN"] = path  # for DataLoader's workers, and what else this process starts
    return path


def _start(program: str) -> str:
    """Returns the path of its socket, once it listens. It goes on in the background: it is no child of this process, whose own
    wait() would see its end, and no Ctrl-C reaches its session. Raises OSError."""
    ours, its = socket.socketpair()  # at its end when this process is, also by a signal, and all that it has forked
    try:
        launcher = subprocess.Popen([program, "run", "--listen"], stdin=its.fileno(), stdout=its.fileno(), start_new_session=True)
    except BaseException:
        ours.close()
        raise
    finally:
        its.close()
    try:
        path = _ready(ours, launcher)
    except BaseException:  # Ctrl-C, too
        _kill(launcher.pid)
        launcher.wait()
        ours.close()
        raise
    multiprocessing.util.Finalize(None, _end, (ours, path), exitpriority=99)  # behind session.py's
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
    """Waits for what the helper says at its end. Where it was killed, its folder is still there."""
    waiting = select.poll()
    waiting.register(ours, select.POLLHUP)
    if waiting.poll(_END_S * 1000):
        shutil.rmtree(os.path.dirname(path), ignore_errors=True)


def _kill(group: int) -> None:
    try:
        os.killpg(group, signal.SIGKILL)
    except OSError:
        pass
