# SPDX-License-Identifier: Apache-2.0
"""Spiral galaxies, by a convolutional network on the CPU."""
import torch
from own_clock import clock
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


def main():
    torch.manual_seed(171)
    torch.set_num_threads(1)
    galaxies = TensorDataset(torch.rand(12_000, 1, 48, 48), torch.randint(0, 2, (12_000,)))
    loader = DataLoader(galaxies, batch_size=32, shuffle=True, num_workers=1)
    network = nn.Sequential(nn.Conv2d(1, 24, 5), nn.ReLU(), nn.MaxPool2d(2), nn.Conv2d(24, 32, 5), nn.ReLU(), nn.Flatten(), nn.Linear(10_368, 2))
    optimizer = torch.optim.SGD(network.parameters(), 0.01)
    clock.start()
    for pictures, hand in loader:
        clock.batch_arrived()
        optimizer.zero_grad()
        nn.functional.cross_entropy(network(pictures), hand).backward()
        optimizer.step()
        clock.step_done()
        if clock.is_over():
            break
    clock.report(None)


if __name__ == "__main__":
    main()
