# SPDX-License-Identifier: Apache-2.0
"""Elevation of glaciers, read at random from one file that the page cache could hold."""
import os
import time

import numpy as np
import torch
from own_clock import clock, data
from torch.utils.data import DataLoader, Dataset

TILE, TILES = 65536, 9_000


def write(folder):
    rng = np.random.default_rng(155)
    with open(folder / "tiles.bin", "wb") as file:
        for _ in range(TILES // 100):
            file.write(rng.bytes(TILE * 100))
        os.fsync(file.fileno())


class Tiles(Dataset):
    def __init__(self, path):
        self.path = path
        self.file = None

    def __len__(self):
        return 400_000

    @clock.work
    def __getitem__(self, i):
        if self.file is None:
            self.file = os.open(self.path, os.O_RDONLY)
        with clock.cause:
            tile = os.pread(self.file, TILE, i % TILES * TILE)
        return torch.frombuffer(bytearray(tile), dtype=torch.int16)[:4096], i % 2


def main():
    torch.manual_seed(155)
    loader = DataLoader(Tiles(data("glaciers", write) / "tiles.bin"), batch_size=64, shuffle=True, num_workers=2)
    clock.start()
    for tiles, crevasse in loader:
        clock.batch_arrived()
        time.sleep(0.004)  # the accelerator trains
        clock.step_done()
        if clock.is_over():
            break
    clock.report(clock.in_workers(), line="tile = os.pread(self.file, TILE")


if __name__ == "__main__":
    main()
