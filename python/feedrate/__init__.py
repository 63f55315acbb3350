# SPDX-License-Identifier: Apache-2.0
"""feedrate in Python: `feedrate.tune(loader)` finds the settings of a torch.utils.data.DataLoader while it iterates.

watch, tune, recommendation and Recommendation are in api.py, which is imported, with torch (1.13 or later), at their first use. The
feedrate program carries a copy of this package: feedrate_child.py starts the PyTorch engine of a sweep (docs/torch-engine.md), and
`feedrate run` loads the hook into a script (docs/run.md).
"""
from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .api import Recommendation, recommendation, tune, watch

__version__ = "0.2.0"  # CMakeLists.txt and pyproject.toml read it here
__all__ = ["Recommendation", "recommendation", "tune", "watch"]


def __getattr__(name: str) -> Any:
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from . import api

    return getattr(api, name)
