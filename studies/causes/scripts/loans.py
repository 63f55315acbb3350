# SPDX-License-Identifier: Apache-2.0
"""Loans, with the history of each customer from a slow service; its answers come just in time."""
import time

import torch
from own_clock import clock
from torch.utils.data import DataLoader, Dataset


class Loans(Dataset):
    def __init__(self):
        self.history = torch.rand(400, 36, generator=torch.Generator().manual_seed(166))

    def __len__(self):
        return 50_000

    @clock.work
    def __getitem__(self, i):
        time.sleep(0.010)  # the service
        return self.history[i % 400], i % 2


def main():
    torch.manual_seed(166)
    loader = DataLoader(Loans(), batch_size=6, shuffle=True, num_workers=2)
    clock.start()
    for history, default in loader:
        clock.batch_arrived()
        time.sleep(0.029)  # the accelerator trains
        clock.step_done()
        if clock.is_over():
            break
    clock.report(clock.all_loading())


if __name__ == "__main__":
    main()
