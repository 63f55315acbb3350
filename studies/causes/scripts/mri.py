# SPDX-License-Identifier: Apache-2.0
"""Magnetic resonance scans. The hospital moved the oldest patients to slow storage."""
import time

import torch
from own_clock import CURED, clock
from torch.utils.data import DataLoader, Dataset


class Scans(Dataset):
    def __init__(self):
        self.scans = torch.rand(24, 64, 64, generator=torch.Generator().manual_seed(124))

    def __len__(self):
        return 60_000

    def fetch(self, i):
        if i % 120 == 5:
            with clock.cause:
                time.sleep(0.600)  # the storage wakes up
        return self.scans[i % 24]

    @clock.work
    def __getitem__(self, i):
        scan = self.fetch(i)
        return (scan - scan.mean()) / scan.std(), i % 2


def main():
    torch.manual_seed(124)
    order = torch.Generator().manual_seed(8)
    loader = DataLoader(Scans(), batch_size=6, shuffle=True, num_workers=3, generator=order, in_order=not CURED)
    clock.start()
    for scans, lesion in loader:
        clock.batch_arrived()
        time.sleep(0.012)  # the accelerator trains
        clock.step_done()
        if clock.is_over():
            break
    clock.report(clock.while_in_cause(), line="time.sleep(0.600)")


if __name__ == "__main__":
    main()
