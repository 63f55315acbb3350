# SPDX-License-Identifier: Apache-2.0
"""Chains of amino acids. A batch holds their contact maps, padded to the longest chain."""
import random
import time

import numpy as np
import torch
from own_clock import CURED, clock
from torch.utils.data import DataLoader, Dataset


class Chains(Dataset):
    def __init__(self):
        rng = random.Random(125)
        self.chains = [np.cumsum(np.random.default_rng(k).normal(size=(rng.randint(40, 70), 3)), axis=0) for k in range(100)]

    def __len__(self):
        return 80_000

    @clock.work
    def __getitem__(self, i):
        return self.chains[i % 100]


@clock.work
def contacts(chains):
    longest = max(len(chain) for chain in chains)
    maps = np.zeros((len(chains), longest, longest), np.float32)
    with clock.cause:
        for number, chain in enumerate(chains):
            if CURED:
                distances = ((chain[:, None] - chain[None]) ** 2).sum(-1)
                maps[number, : len(chain), : len(chain)] = distances < 9
                continue
            places = chain.tolist()
            for row, (x, y, z) in enumerate(places):
                maps[number, row, : len(chain)] = [(x - a) ** 2 + (y - b) ** 2 + (z - c) ** 2 < 9 for a, b, c in places]
    return torch.from_numpy(maps)


def main():
    torch.manual_seed(125)
    loader = DataLoader(Chains(), batch_size=16, shuffle=True, num_workers=2, collate_fn=contacts)
    clock.start()
    for maps in loader:
        clock.batch_arrived()
        time.sleep(0.009)  # the accelerator trains
        clock.step_done()
        if clock.is_over():
            break
    clock.report(clock.in_workers(), line="maps[number, row, : len(chain)] =")


if __name__ == "__main__":
    main()
