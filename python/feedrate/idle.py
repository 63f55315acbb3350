# SPDX-License-Identifier: Apache-2.0
"""A dataset with a fixed cost per sample, which isolates the cost of DataLoader. bench/calibration/idle_dataset.h is the C++
version."""
from __future__ import annotations

import time

import torch
from torch.utils.data import Dataset


class IdleDataset(Dataset):
    """Each sample is the same float32 tensor, with the index as its label."""

    def __init__(self, records: int, sample_bytes: int, busy_ns: int) -> None:
        self._records = records
        self._sample = torch.zeros(sample_bytes // 4)
        self._busy_ns = busy_ns

    def __len__(self) -> int:
        return self._records

    def __getitem__(self, index: int) -> tuple[torch.Tensor, int]:
        if self._busy_ns:
            end = time.monotonic_ns() + self._busy_ns
            while time.monotonic_ns() < end:
                pass
        return self._sample, index


def make_dataset(records: int, sample_bytes: int, busy_ns: int) -> IdleDataset:
    return IdleDataset(records, sample_bytes, busy_ns)
