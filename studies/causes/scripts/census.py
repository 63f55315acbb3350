# SPDX-License-Identifier: Apache-2.0
"""A census: the parts are mapped, and each worker has its own copy of the codes of all towns."""
import os
import time

import numpy as np
import torch
from own_clock import clock, data
from torch.utils.data import DataLoader, Dataset

PARTS, ROWS = 6, 24_000


def write(folder):
    rng = np.random.default_rng(156)
    for part in range(PARTS):
        with open(folder / f"part{part}.npy", "wb") as file:
            np.save(file, rng.integers(0, 99, (ROWS, 4096), dtype=np.uint8))
            file.flush()
            os.fsync(file.fileno())


class Households(Dataset):
    def __init__(self, folder):
        self.folder = folder
        self.towns = None

    def __len__(self):
        return 2_000_000

    @clock.work
    def __getitem__(self, i):
        if self.towns is None:
            self.towns = np.ones(5_000_000)
            self.parts = [np.load(path, mmap_mode="r") for path in sorted(self.folder.iterdir())]
        with clock.cause:
            household = np.array(self.parts[i % PARTS][i * 7919 % ROWS])
        return torch.from_numpy(household[:1024]), float(self.towns[i])


def main():
    torch.manual_seed(156)
    loader = DataLoader(Households(data("census", write)), batch_size=32, shuffle=True, num_workers=2)
    clock.start()
    for households, income in loader:
        clock.batch_arrived()
        time.sleep(0.003)  # the accelerator trains
        clock.step_done()
        if clock.is_over():
            break
    clock.report(clock.in_workers(), line="household = np.array(self.parts[")


if __name__ == "__main__":
    main()
