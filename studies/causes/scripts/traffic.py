# SPDX-License-Identifier: Apache-2.0
"""Vehicles on a motorway: windows of sensor counts, with their seasonal part removed."""
import time

import numpy as np
import torch
from own_clock import clock
from torch.utils.data import DataLoader, Dataset


class Windows(Dataset):
    def __init__(self):
        rng = np.random.default_rng(109)
        self.counts = rng.poisson(30, (60, 6, 2016)).astype(np.float32)

    def __len__(self):
        return 80_000

    @clock.work
    def __getitem__(self, i):
        counts = self.counts[i % 60]
        spectrum = np.fft.rfft(counts, axis=1)
        spectrum[:, 7::7] = 0
        residual = np.fft.irfft(spectrum, axis=1)
        smooth = np.median(np.lib.stride_tricks.sliding_window_view(residual, 9, axis=1), axis=2)
        return torch.from_numpy(smooth.astype(np.float32)), float(counts[0, -1])


def main():
    torch.manual_seed(109)
    loader = DataLoader(Windows(), batch_size=32, shuffle=True, num_workers=3)
    clock.start()
    for windows, after in loader:
        clock.batch_arrived()
        time.sleep(0.010)  # the accelerator trains
        clock.step_done()
        if clock.is_over():
            break
    clock.report(clock.waiting_for_cpu())


if __name__ == "__main__":
    main()
