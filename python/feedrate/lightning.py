# SPDX-License-Identifier: Apache-2.0
"""feedrate as a callback of Lightning: Trainer(callbacks=[TuneDataLoader()])."""
from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any, Optional

from . import api, patch

if TYPE_CHECKING or "pytorch_lightning" not in sys.modules:
    from lightning.pytorch import Callback
else:  # the former name of the same framework
    from pytorch_lightning import Callback


class TuneDataLoader(Callback):
    """Tunes what Trainer.fit() trains with, wherever its DataLoader comes from; validation keeps its settings.

    `budget`: as of feedrate.tune(). Lightning makes iterators before it tells callbacks of their loaders, so a loader is marked when
    it is iterated."""

    def __init__(self, budget: float = 0.05) -> None:
        self._budget = budget
        self._trainer: Any = None
        self._loader: Any = None

    @property
    def recommendation(self) -> Optional[api.Recommendation]:
        """As feedrate.recommendation() has it for the loader that was iterated last."""
        return None if self._loader is None else api.recommendation(self._loader)

    def setup(self, trainer: Any, pl_module: Any, stage: str) -> None:
        self._trainer = trainer
        patch.rules.append(self._mark)

    def teardown(self, trainer: Any, pl_module: Any, stage: str) -> None:
        if self._mark in patch.rules:
            patch.rules.remove(self._mark)

    def on_exception(self, trainer: Any, pl_module: Any, exception: BaseException) -> None:
        self.teardown(trainer, pl_module, "fit")  # which Lightning leaves out then

    def _mark(self, loader: Any) -> None:
        if self._trainer.training:
            self._loader = api.tune(loader, self._budget)
