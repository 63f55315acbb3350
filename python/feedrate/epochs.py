# SPDX-License-Identifier: Apache-2.0
"""This state lasts from one epoch of a loader to the next."""
from __future__ import annotations

from typing import Optional

import torch

from .audit import Auditor
from .inner_loader import Inner, LoaderSettings
from .state_check import StateCheck


class Refusal(RuntimeError):
    """No setting but the user's may be tried, now or later. The text says why."""


class Epochs:
    """The settings to begin with (None: the user's), a seed, persistent workers that wait for another epoch, and what is known of the
    loader's state. It does not hold the loader."""

    def __init__(self, settings: Optional[LoaderSettings] = None) -> None:
        self.settings = settings
        self.waiting: Optional[Inner] = None
        self.seeds: Optional[torch.Generator] = None  # in the state in which PyTorch draws the seed of the workers
        self.sampler_draws: Optional[bool] = None  # from the global generators for each batch; None: not known
        self.refusal: Optional[Refusal] = None
        self.check: Optional[StateCheck] = None
        self.auditor = Auditor()
        self.is_audited = False  # workers have loaded the same batches as the training process
        self.difference: Optional[str] = None  # of an audited batch
        self.audited_batches = 0  # of workers under audit
        self.fruitless_audits = 0  # that ended with their epoch before any batch was compared
        self.slowest_s = 0.0  # of a next()
        self.workers: list[int] = []  # process ids of the trial workers that were started last
