# SPDX-License-Identifier: Apache-2.0
"""A model for lessons of a language: the loop runs by steps, not by epochs."""
import time

import torch
from own_clock import CURED, clock
from torch.utils.data import DataLoader, Dataset


class Lessons(Dataset):
    def __init__(self):
        self.words = torch.randint(0, 8_000, (4_000, 32), generator=torch.Generator().manual_seed(147))

    def __len__(self):
        return 40_000

    def __getitem__(self, i):
        return self.words[i % 4_000], i % 6


def main():
    torch.manual_seed(147)
    loader = DataLoader(Lessons(), batch_size=24, shuffle=True, num_workers=2)
    batches = iter(loader)
    clock.start()
    for _ in range(1_000_000):
        clock.epoch()
        if not CURED:
            words, level = next(iter(loader))
        else:
            words, level = next(batches)
        clock.batch_arrived()
        time.sleep(0.010)  # the accelerator trains
        clock.step_done()
        if clock.is_over():
            break
    clock.report(clock.first_batches(), line="words, level = next(iter(loader))")


if __name__ == "__main__":
    main()
