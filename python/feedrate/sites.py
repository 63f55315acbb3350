# SPDX-License-Identifier: Apache-2.0
"""Which line of the user's a call comes from."""
from __future__ import annotations

import sys

_FRAMEWORKS = frozenset(
    "torch torchvision torchdata torch_geometric lightning lightning_fabric pytorch_lightning transformers accelerate datasets "
    "ultralytics timm fastai monai ignite deepspeed composer catalyst mmengine mmcv detectron2 fairseq feedrate".split()
)


def site_of(above: int) -> str:
    """ "file:line" of the innermost frame that is no framework's, from `above` frames above the caller on; of the outermost one
    if all are."""
    frame = sys._getframe(1 + above)
    while frame.f_globals.get("__name__", "").split(".")[0] in _FRAMEWORKS and frame.f_back is not None:
        frame = frame.f_back
    return f"{frame.f_code.co_filename}:{frame.f_lineno}"
