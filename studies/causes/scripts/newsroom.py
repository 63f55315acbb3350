# SPDX-License-Identifier: Apache-2.0
"""Photographs of a newspaper's archive as arrays in shards, mapped and indexed."""
import os
import time

import numpy as np
import torch
from own_clock import clock, data
from torch.utils.data import DataLoader, Dataset

SHARDS, ROWS = 10, 1000


def write(folder):
    rng = np.random.default_rng(114)
    for shard in range(SHARDS):
        with open(folder / f"shard{shard}.npy", "wb") as file:
            np.save(file, rng.integers(0, 255, (ROWS, 128, 512), dtype=np.uint8))
            file.flush()
            os.fsync(file.fileno())


class Photographs(Dataset):
    def __init__(self, folder):
        self.folder = folder

    def __len__(self):
        return SHARDS * ROWS

    @clock.work
    def __getitem__(self, i):
        shard = np.load(self.folder / f"shard{i % SHARDS}.npy", mmap_mode="r")
        with clock.cause:
            photograph = np.array(shard[i // SHARDS])
        return torch.from_numpy(photograph), i % 18


def main():
    torch.manual_seed(114)
    photographs = Photographs(data("newsroom", write))
    loader = DataLoader(photographs, batch_size=24, shuffle=True, num_workers=2, persistent_workers=True)
    clock.start()
    while not clock.is_over():
        for pictures, topic in loader:
            clock.batch_arrived()
            time.sleep(0.003)  # the accelerator trains
            clock.step_done()
            if clock.is_over():
                break
    clock.report(clock.in_workers(), line="photograph = np.array(shard[")


if __name__ == "__main__":
    main()
