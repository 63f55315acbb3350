# SPDX-License-Identifier: Apache-2.0
"""Murals of a city: the first epoch fetches each picture once, the later ones find it in memory."""
import time

import torch
from own_clock import clock
from torch.utils.data import DataLoader, Dataset


class Murals(Dataset):
    def __init__(self):
        self.kept = {}

    def __len__(self):
        return 100

    def __getitem__(self, i):
        if i not in self.kept:
            time.sleep(0.003)  # fetched
            self.kept[i] = torch.rand(3, 48, 48, generator=torch.Generator().manual_seed(i))
        return self.kept[i], i % 8


def main():
    torch.manual_seed(178)
    loader = DataLoader(Murals(), batch_size=10, shuffle=True)
    clock.start()
    while not clock.is_over():
        for murals, painter in loader:
            clock.batch_arrived()
            time.sleep(0.045)  # the accelerator trains
            clock.step_done()
            if clock.is_over():
                break
    clock.report(None)


if __name__ == "__main__":
    main()
