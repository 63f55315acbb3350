# SPDX-License-Identifier: Apache-2.0
"""An atlas of cells: the table is in memory, and a server process starts the workers of each epoch."""
import time

import torch
from own_clock import CURED, clock
from torch import multiprocessing
from torch.utils.data import DataLoader, Dataset


class Cells(Dataset):
    def __init__(self):
        self.genes = [[float(i * k % 97) for k in range(60)] for i in range(25_000)]

    def __len__(self):
        return 1_600

    def __getitem__(self, i):
        return torch.tensor(self.genes[i * 13 % 25_000]), i % 30


def main():
    torch.manual_seed(149)
    multiprocessing.set_start_method("forkserver")
    loader = DataLoader(Cells(), batch_size=32, shuffle=True, num_workers=2, persistent_workers=CURED)
    clock.start()
    while not clock.is_over():
        clock.epoch()
        for genes, kind in loader:
            clock.batch_arrived()
            time.sleep(0.010)  # the accelerator trains
            clock.step_done()
    clock.report(clock.first_batches(), line='multiprocessing.set_start_method("forkserver")')


if __name__ == "__main__":
    main()
