# SPDX-License-Identifier: Apache-2.0
"""Short reads of genomes, as counts of all words of four bases."""
import random
import time

import numpy as np
import torch
from own_clock import CURED, clock
from torch.utils.data import DataLoader, Dataset

BASES = "ACGT"


class Reads(Dataset):
    def __init__(self):
        rng = random.Random(104)
        self.reads = ["".join(rng.choices(BASES, k=600)) for _ in range(300)]

    def __len__(self):
        return 100_000

    @clock.work
    def __getitem__(self, i):
        read = self.reads[i % 300]
        if CURED:
            codes = np.frombuffer(read.encode(), np.uint8) >> 1 & 3
            words = codes[:-3] * 64 + codes[1:-2] * 16 + codes[2:-1] * 4 + codes[3:]
            return torch.from_numpy(np.bincount(words, minlength=256).astype(np.float32)), i % 8
        counts = torch.zeros(256)
        for k in range(len(read) - 3):
            word = sum(BASES.index(base) * 4**place for place, base in enumerate(read[k : k + 4]))
            counts[word] += 1
        return counts, i % 8


def main():
    torch.manual_seed(104)
    loader = DataLoader(Reads(), batch_size=16, shuffle=True, num_workers=2)
    clock.start()
    for counts, organism in loader:
        clock.batch_arrived()
        time.sleep(0.008)  # the accelerator trains
        clock.step_done()
        if clock.is_over():
            break
    clock.report(clock.computing_in_workers(), line="word = sum(BASES.index(base)")


if __name__ == "__main__":
    main()
