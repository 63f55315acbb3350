# SPDX-License-Identifier: Apache-2.0
"""Exceptions as text, for the reason of a failed cell: the original error first, then the traceback."""
from __future__ import annotations

import pathlib
import re
import time
import traceback
from typing import Any

_OF_A_WORKER = re.compile(r"Caught \w+ in (DataLoader worker process \d+|pin memory thread[^.]*)\.")

_PACKAGE = pathlib.Path(__file__).parent

_NO_SPACE = re.compile(r"</torch_\w+>: No space left on device")


class Mistake(Exception):
    """An error that the user can fix; the message names the key and the fix. Shown without a traceback, except of its cause."""


class MissingPackage(Mistake):
    """A package is missing. Other datasets or loaders can still be measured."""


def _headline(error: BaseException) -> str:
    text = _what_happened(error)
    if _NO_SPACE.search(text):  # PyTorch adds advice only if the worker dies of it.
        text += "; out of shared memory: enlarge /dev/shm (docker run --shm-size), or use fewer workers or a smaller prefetch_factor"
    return text


def _what_happened(error: BaseException) -> str:
    text = str(error).strip()
    name = type(error).__name__
    caught = _OF_A_WORKER.match(text)
    if caught:  # DataLoader embeds the worker's traceback; its last line is the exception.
        return f"{text.splitlines()[-1].strip()} (in {caught.group(1)})"
    return f"{name}: {text.splitlines()[0]}" if text else name


def _without_us(text: str) -> str:
    lines = text.splitlines()
    kept, skipping = [], False
    for line in lines:
        if re.match(r'\s+File "', line):
            skipping = f'"{_PACKAGE}/' in line or "feedrate_child.py" in line
        elif not line.startswith("    "):
            skipping = False
        if not skipping:
            kept.append(line)
    return "\n".join(kept)


def _cause(error: BaseException) -> BaseException:
    """A killed worker closes its connections before PyTorch's SIGCHLD handler runs. Sleeps, so that the handler can raise here, and
    returns its error."""
    if isinstance(error, (ConnectionError, EOFError)):
        try:
            time.sleep(1)
        except RuntimeError as death:
            return death
    return error


def describe(error: BaseException) -> dict[str, Any]:
    error = _cause(error)
    if isinstance(error, Mistake):
        cause = error.__cause__
        details = "" if cause is None else "".join(traceback.format_exception(type(cause), cause, cause.__traceback__))
        return {"mistake": True, "headline": str(error), "traceback": _without_us(details)}
    details = "".join(traceback.format_exception(type(error), error, error.__traceback__))
    return {"mistake": False, "headline": _headline(error), "traceback": _without_us(details)}
