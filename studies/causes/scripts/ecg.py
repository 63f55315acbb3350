# SPDX-License-Identifier: Apache-2.0
"""Heartbeats of a Holter monitor, filtered and cut when they are asked for."""
import time

import numpy as np
import torch
from own_clock import CURED, clock
from torch.utils.data import DataLoader, Dataset


class Beats(Dataset):
    def __init__(self):
        rng = np.random.default_rng(101)
        self.days = np.cumsum(rng.normal(0, 1, (24, 12, 5000)), axis=2).astype(np.float32)
        self.taps = np.hamming(301).astype(np.float32) / 150

    def __len__(self):
        return 200_000

    @clock.work
    def __getitem__(self, i):
        leads = self.days[i % 24]
        baseline = np.stack([np.convolve(lead, self.taps, "same") for lead in leads])
        flat = leads - baseline
        return torch.from_numpy(flat[:, 500:4500] / (np.abs(flat).max() + 1)), i % 5


def main():
    torch.manual_seed(101)
    loader = DataLoader(Beats(), batch_size=24, shuffle=True, num_workers=2 if CURED else 1)
    clock.start()
    for beats, rhythm in loader:
        clock.batch_arrived()
        time.sleep(0.010)  # forward and backward on the accelerator
        clock.step_done()
        if clock.is_over():
            break
    clock.report(clock.computing_in_workers(), line="loader = DataLoader(")


if __name__ == "__main__":
    main()
