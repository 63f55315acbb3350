# SPDX-License-Identifier: Apache-2.0
"""A callback for Lightning that tunes the DataLoader of training: Trainer(callbacks=[TuneDataLoader()])."""
from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any, Optional

from . import api, patch

if TYPE_CHECKING or "pytorch_lightning" not in sys.modules:
    from lightning.pytorch import Callback
else:  # the older package name of the same framework
    from pytorch_lightning import Callback


class TuneDataLoader(Callback):
    """Tunes the training DataLoader of Trainer.fit(), wherever it is made; validation keeps its settings.

    `budget`: see feedrate.tune(). Lightning makes iterators before it passes loaders to callbacks, so a loader is marked when it is
    iterated."""

    def __init__(self, budget: float = 0.05) -> None:
        self._budget = budget
        self._trainer: Any = None
        self._loader: Any = None

    @property
    def recommendation(self) -> Optional[api.Recommendation]:
        return None if self._loader is None else api.recommendation(self._loader)

    def setup(self, trainer: Any, pl_module: Any, stage: str) -> None:
        self._trainer = trainer
        patch.rules.append(self._mark)

    def teardown(self, trainer: Any, pl_module: Any, stage: str) -> None:
        if self._mark in patch.rules:
            patch.rules.remove(self._mark)

    def on_exception(self, trainer: Any, pl_module: Any, exception: BaseException) -> None:
        self.teardown(trainer, pl_module, "fit")  # Lightning skips teardown() after an exception

    def _mark(self, loader: Any) -> None:
        if self._trainer.training:
            self._loader = api.tune(loader, self._budget)
