# SPDX-License-Identifier: Apache-2.0
"""Depth from two cameras. The pictures come from a share that is about as fast as the accelerator."""
import time

import torch
from own_clock import clock
from torch.utils.data import DataLoader, Dataset


class Pairs(Dataset):
    def __init__(self):
        self.pairs = torch.rand(30, 2, 48, 64, generator=torch.Generator().manual_seed(165))

    def __len__(self):
        return 50_000

    @clock.work
    def __getitem__(self, i):
        time.sleep(0.0051)  # the share
        return self.pairs[i % 30], i % 8


def main():
    torch.manual_seed(165)
    loader = DataLoader(Pairs(), batch_size=4, shuffle=True, num_workers=1)
    clock.start()
    for pairs, depth in loader:
        clock.batch_arrived()
        time.sleep(0.020)  # the accelerator trains
        clock.step_done()
        if clock.is_over():
            break
    clock.report(clock.all_loading())


if __name__ == "__main__":
    main()
