# SPDX-License-Identifier: Apache-2.0
"""A callback for Hugging Face's Trainer that tunes its DataLoader: Trainer(callbacks=[TuneDataLoader()])."""
from __future__ import annotations

from typing import Any, Optional

from transformers import TrainerCallback

from . import api


class TuneDataLoader(TrainerCallback):
    """Tunes the DataLoader of Trainer.train(); evaluation keeps its settings. `budget`: see feedrate.tune()."""

    def __init__(self, budget: float = 0.05) -> None:
        self._budget = budget
        self._loader: Any = None

    @property
    def recommendation(self) -> Optional[api.Recommendation]:
        """The result of feedrate.recommendation(). `dataloader_num_workers` and the like are arguments of TrainingArguments."""
        return None if self._loader is None else api.recommendation(self._loader)

    def on_train_begin(self, args: Any, state: Any, control: Any, train_dataloader: Any = None, **others: Any) -> None:
        self._loader = api.tune(train_dataloader, self._budget)
