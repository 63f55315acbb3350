# SPDX-License-Identifier: Apache-2.0
"""Which line of the user's a call comes from."""
from __future__ import annotations

import sys
from types import FrameType
from typing import Any

_FRAMEWORKS = frozenset(
    "torch torchvision torchdata torch_geometric lightning lightning_fabric pytorch_lightning transformers accelerate datasets "
    "ultralytics timm fastai monai ignite deepspeed composer catalyst mmengine mmcv detectron2 fairseq feedrate".split()
)


def site_of(above: int) -> str:
    """ "file:line" of the innermost frame that is no framework's, from `above` frames above the caller on; of the outermost one
    if all are. In a notebook "In[3]:line"."""
    frame = _frames(1 + above)[-1]
    return f"{_file_of(frame)}:{frame.f_lineno}"


def framework_variables(above: int) -> list[Any]:
    """The local variables of the frameworks' frames between there and the one that site_of() tells of."""
    return [value for frame in _frames(1 + above)[:-1] for value in frame.f_locals.values()]


def _frames(above: int) -> list[FrameType]:
    frames = [sys._getframe(1 + above)]
    while frames[-1].f_globals.get("__name__", "").split(".")[0] in _FRAMEWORKS and frames[-1].f_back is not None:
        frames.append(frames[-1].f_back)
    return frames


def _file_of(frame: FrameType) -> str:
    name = frame.f_code.co_filename
    try:
        _, cell = frame.f_globals["get_ipython"]().compile.format_code_name(name)  # None where it is no cell's
        return cell
    except Exception:
        return name
