# SPDX-License-Identifier: Apache-2.0
"""Organoids in three dimensions. Workers die sometimes, so that the loop starts them again."""
import time

import torch
from own_clock import clock
from torch.utils.data import DataLoader, Dataset


class Organoids(Dataset):
    def __init__(self):
        self.volumes = torch.rand(4, 64, 128, 128, generator=torch.Generator().manual_seed(157))

    def __len__(self):
        return 4_000

    def __getitem__(self, i):
        return self.volumes[i % 4]


def main():
    torch.manual_seed(157)
    torch.set_num_threads(1)
    loader = DataLoader(Organoids(), batch_size=2, shuffle=True, num_workers=2, prefetch_factor=4, timeout=3)
    restarts = 0
    clock.start()
    while not clock.is_over():
        try:
            for volumes in loader:
                clock.batch_arrived()
                time.sleep(0.020)  # the accelerator trains
                clock.step_done()
                if clock.is_over():
                    break
        except (RuntimeError, OSError) as error:
            clock.epoch()
            if restarts == 0:
                print(str(error).strip().splitlines()[-1])
            restarts += 1
    clock.report(clock.first_batches(), line="loader = DataLoader(")


if __name__ == "__main__":
    main()
