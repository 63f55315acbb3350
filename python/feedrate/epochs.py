# SPDX-License-Identifier: Apache-2.0
"""State that lasts from one epoch of a loader to the next."""
from __future__ import annotations

from typing import Optional

import torch

from .audit import Auditor
from .inner_loader import Inner, LoaderSettings
from .state_check import StateCheck


class Refusal(RuntimeError):
    """Forbids, from now on, all settings but the user's. The text says why."""


class Epochs:
    """The settings to begin with (None: the user's), the seed, persistent workers that wait for an epoch, and the known state of the
    loader. It holds no reference to the loader."""

    def __init__(self, settings: Optional[LoaderSettings] = None) -> None:
        self.settings = settings
        self.waiting: Optional[Inner] = None
        self.seeds: Optional[torch.Generator] = None  # in the state in which PyTorch draws the workers' seed
        self.sampler_draws: Optional[bool] = None  # whether it draws from the global generators for each batch; None: unknown
        self.refusal: Optional[Refusal] = None
        self.check: Optional[StateCheck] = None
        self.auditor = Auditor()
        self.is_audited = False  # whether workers have loaded the same batches as the training process
        self.difference: Optional[str] = None  # the first one of an audited batch
        self.audited_batches = 0  # by workers under audit
        self.fruitless_audits = 0  # audits whose epoch ended before a batch was compared
        self.slowest_s = 0.0
        self.workers: list[int] = []  # process ids of the trial workers started last
