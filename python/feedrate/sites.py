# SPDX-License-Identifier: Apache-2.0
"""Finds the user's line that a call comes from, and the packages in between."""
from __future__ import annotations

import functools
import itertools
import sys
import sysconfig
from types import FrameType
from typing import Any, NamedTuple, Optional

# Frameworks may be installed in place, with files outside of site-packages.
_FRAMEWORKS = frozenset(
    "torch torchvision torchdata torch_geometric lightning lightning_fabric pytorch_lightning transformers accelerate datasets "
    "ultralytics timm fastai monai ignite deepspeed composer catalyst mmengine mmcv detectron2 fairseq skorch webdataset feedrate".split()
)
_LIBRARIES = tuple({sysconfig.get_paths()[name] + "/" for name in ("stdlib", "platstdlib", "purelib", "platlib")})
_PACKAGES = ("/site-packages/", "/dist-packages/")
_STACK = 4


class Site(NamedTuple):
    """The line that made a loader. Plain values, because scripts copy and pickle the loader's __dict__, where this is kept."""

    line: str  # "file:line"; in a notebook "In[3]:line"
    file: str = ""
    span: Optional[tuple[Optional[int], ...]] = None  # of the call: line, end line, column, end column
    is_direct: bool = False  # the line itself calls the class
    library: str = ""  # the package that the line calls, if it does not call the class itself
    stack: tuple[tuple[str, int], ...] = ()


@functools.lru_cache(maxsize=4096)
def is_users_file(name: str) -> bool:
    """Whether a file belongs neither to the standard library nor to an installed package."""
    return not (name.startswith(("<frozen", "<__array_function__")) or name.startswith(_LIBRARIES) or any(part in name for part in _PACKAGES))


def site_of(above: int) -> str:
    """ "file:line" of the innermost user frame, searched from `above` frames above the caller; the outermost frame if there is none."""
    return _line_of(_frames(1 + above)[-1])


def made_at(above: int) -> Site:
    frames = _frames(1 + above)
    frame, below = frames[-1], frames[:-1]
    library = _package(below[-1]) if below else ""
    return Site(_line_of(frame), frame.f_code.co_filename, _span(frame), not below, library, tuple(_users_stack(frame)))


def _frames(above: int) -> list[FrameType]:
    frames = [sys._getframe(1 + above)]
    while not _is_users(frames[-1]) and frames[-1].f_back is not None:
        frames.append(frames[-1].f_back)
    return frames


def _is_users(frame: FrameType) -> bool:
    package = _package(frame)
    return package == "__main__" or (package not in _FRAMEWORKS and is_users_file(frame.f_code.co_filename))


def _package(frame: FrameType) -> str:
    return str(frame.f_globals.get("__name__", "")).partition(".")[0]


def _users_stack(frame: Optional[FrameType]) -> Any:
    found = 0
    while frame is not None and found < _STACK:
        if _is_users(frame):
            found += 1
            yield frame.f_code.co_filename, frame.f_lineno
        frame = frame.f_back


def _span(frame: FrameType) -> tuple[Optional[int], ...]:
    positions = getattr(frame.f_code, "co_positions", None)
    if positions is None or frame.f_lasti < 0:
        return (frame.f_lineno, None, None, None)
    return next(itertools.islice(positions(), frame.f_lasti // 2, None), (frame.f_lineno, None, None, None))


def _line_of(frame: FrameType) -> str:
    name = frame.f_code.co_filename
    try:
        _, cell = frame.f_globals["get_ipython"]().compile.format_code_name(name)  # None outside of cells
        name = cell
    except Exception:
        pass
    return f"{name}:{frame.f_lineno}"
