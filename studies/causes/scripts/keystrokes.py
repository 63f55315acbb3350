# SPDX-License-Identifier: Apache-2.0
"""Recognition of typists: rhythms of keystrokes over many epochs, with workers that stay."""
import time

import numpy as np
import torch
from own_clock import clock
from torch.utils.data import DataLoader, Dataset


class Rhythms(Dataset):
    def __init__(self):
        self.times = np.random.default_rng(174).gamma(2, 80, (500, 200)).astype(np.float32)

    def __len__(self):
        return 4_000

    def __getitem__(self, i):
        gaps = np.diff(np.sort(self.times[i % 500]))
        return torch.from_numpy(np.log1p(gaps)), i % 50


def main():
    torch.manual_seed(174)
    loader = DataLoader(Rhythms(), batch_size=32, shuffle=True, num_workers=2, persistent_workers=True, prefetch_factor=4)
    clock.start()
    while not clock.is_over():
        for rhythms, person in loader:
            clock.batch_arrived()
            time.sleep(0.022)  # the accelerator trains
            clock.step_done()
            if clock.is_over():
                break
    clock.report(None)


if __name__ == "__main__":
    main()
