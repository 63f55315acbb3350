# SPDX-License-Identifier: Apache-2.0
"""Climate fields as principal components: each sample solves a small eigenvalue problem."""
import os

from own_clock import CURED, clock

os.environ["OPENBLAS_NUM_THREADS"] = "1" if CURED else "12"  # as the batch system's template has it

import time

import numpy as np
import torch
from torch.utils.data import DataLoader, Dataset


class Fields(Dataset):
    def __init__(self):
        self.fields = np.random.default_rng(112).normal(size=(40, 220, 220)).astype(np.float32)

    def __len__(self):
        return 50_000

    @clock.work
    def __getitem__(self, i):
        field = self.fields[i % 40]
        with clock.cause:
            covariance = field @ field.T
            for _ in range(40):
                covariance = covariance @ field
                covariance /= np.abs(covariance).max()
        return torch.from_numpy(covariance[-20:].copy()), i % 4


def main():
    torch.manual_seed(112)
    loader = DataLoader(Fields(), batch_size=6, shuffle=True, num_workers=2)
    clock.start()
    for components, season in loader:
        clock.batch_arrived()
        time.sleep(0.010)  # the accelerator trains
        clock.step_done()
        if clock.is_over():
            break
    clock.report(clock.in_workers(), line='os.environ["OPENBLAS_NUM_THREADS"] =')


if __name__ == "__main__":
    main()
