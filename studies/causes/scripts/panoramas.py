# SPDX-License-Identifier: Apache-2.0
"""Panoramas in full resolution, copied to the GPU as they come from the loader."""
import torch
from own_clock import CURED, clock, skip_without_gpu
from torch import nn
from torch.utils.data import DataLoader, Dataset


class Panoramas(Dataset):
    def __init__(self):
        self.panoramas = torch.rand(8, 3, 1024, 2048)

    def __len__(self):
        return 50_000

    def __getitem__(self, i):
        return self.panoramas[i % 8]


def main():
    skip_without_gpu()
    torch.manual_seed(140)
    loader = DataLoader(Panoramas(), batch_size=8, shuffle=True, num_workers=8, pin_memory=CURED)
    network = nn.Conv2d(3, 8, 3, stride=8).cuda()
    clock.start()
    for panoramas in loader:
        clock.batch_arrived()
        with clock.cause:
            panoramas = panoramas.to("cuda", non_blocking=CURED)
        network(panoramas).mean().backward()
        torch.cuda.synchronize()
        clock.step_done()
        if clock.is_over():
            break
    clock.report(clock.in_training_thread(), line='panoramas = panoramas.to("cuda"')


if __name__ == "__main__":
    main()
