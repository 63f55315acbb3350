# SPDX-License-Identifier: Apache-2.0
"""A game: after each round some moves are new, and the loader is made of what the memory holds."""
import time

import torch
from own_clock import CURED, clock
from torch.utils.data import DataLoader, RandomSampler, TensorDataset


def main():
    torch.manual_seed(146)
    memory = TensorDataset(torch.rand(6_000, 80), torch.randint(0, 4, (6_000,)))
    if CURED:
        kept = iter(DataLoader(memory, batch_size=32, sampler=RandomSampler(memory, True, 10_000_000), num_workers=2))
    clock.start()
    while not clock.is_over():
        memory.tensors[0][torch.randint(0, 6_000, (8,))] = torch.rand(8, 80)  # the round
        clock.epoch()
        batches = kept if CURED else iter(DataLoader(memory, batch_size=32, shuffle=True, num_workers=2))
        for _ in range(3):
            boards, moves = next(batches)
            clock.batch_arrived()
            time.sleep(0.006)  # the accelerator trains
            clock.step_done()
    clock.report(clock.first_batches(), line="batches = kept if CURED else")


if __name__ == "__main__":
    main()
