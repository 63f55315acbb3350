# SPDX-License-Identifier: Apache-2.0
"""Echoes of a sonar. The table is in memory, and each step takes its rows to the GPU."""
import torch
from own_clock import CURED, clock, skip_without_gpu
from torch import nn
from torch.utils.data import DataLoader, Dataset


class Echoes(Dataset):
    def __init__(self):
        self.blocks = [torch.rand(4096, 4096) for _ in range(6)]

    def __len__(self):
        return 20_000

    def __getitem__(self, i):
        return self.blocks[i % 6]


def main():
    skip_without_gpu()
    torch.manual_seed(141)
    echoes = Echoes()
    if CURED:
        echoes.blocks = [block.pin_memory() for block in echoes.blocks]
    loader = DataLoader(echoes, batch_size=None, shuffle=True, num_workers=0)
    network = nn.Linear(4096, 64).cuda()
    clock.start()
    for block in loader:
        clock.batch_arrived()
        with clock.cause:
            block = block.cuda(non_blocking=CURED)
        network(block).square().mean().backward()
        torch.cuda.synchronize()
        clock.step_done()
        if clock.is_over():
            break
    clock.report(clock.in_training_thread(), line="block = block.cuda(")


if __name__ == "__main__":
    main()
