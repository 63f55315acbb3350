# SPDX-License-Identifier: Apache-2.0
"""Where feedrate's program is, and how it is started as a helper of a script that was not started by it."""
from __future__ import annotations

import multiprocessing.util
import os
import select
import shutil
import signal
import subprocess
import sys
import tempfile
from typing import Optional

NOT_FOUND = (
    "feedrate: nothing is watched or tuned: there is no program feedrate beside this Python or on PATH; build it as the README "
    "says, and put its path into FEEDRATE_PROGRAM"
)

_START_S = 30  # to wait for the helper's socket
_END_S = 2  # to wait, at the end of the script, for what the helper says at its end

# The helper is no child of this process, whose own wait() would see its end, and reads no Ctrl-C: it is in a session of its own.
# A shell removes the folder when it has ended, whatever became of the script.
_IN_BACKGROUND = '{ "$@"; rm -rf -- "$0"; } &'


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
    """Returns the path of its socket, once it listens. Raises OSError."""
    folder = tempfile.mkdtemp(prefix="feedrate-")
    path = os.path.join(folder, "socket")
    command = ["/bin/sh", "-c", _IN_BACKGROUND, folder, program, "run", "--listen", path]
    output, its_output = os.pipe()
    try:
        shell = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=its_output, start_new_session=True)
    finally:
        os.close(its_output)
    shell.wait()
    try:
        if not _comes(output, select.POLLIN, _START_S) or os.read(output, 5) != b"ready":
            raise OSError("it has not become ready")
    except BaseException:  # Ctrl-C, too
        _end(shell.pid, folder)
        os.close(output)
        raise
    multiprocessing.util.Finalize(None, _comes, (output, select.POLLHUP, _END_S), exitpriority=99)  # behind session.py's
    return path


def _comes(descriptor: int, event: int, seconds: float) -> bool:
    """The event, or the end of what is written there."""
    waiting = select.poll()
    waiting.register(descriptor, event)
    return bool(waiting.poll(seconds * 1000))


def _end(group: int, folder: str) -> None:
    try:
        os.killpg(group, signal.SIGKILL)
    except OSError:
        pass
    shutil.rmtree(folder, ignore_errors=True)
