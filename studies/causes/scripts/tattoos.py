# SPDX-License-Identifier: Apache-2.0
"""Drawings on skin, trained on a laptop; memory is pinned out of habit."""
import warnings

import numpy as np
import torch
from own_clock import clock
from torch import nn
from torch.utils.data import DataLoader, Dataset

warnings.filterwarnings("ignore", message=".*pin_memory.*")


class Drawings(Dataset):
    def __init__(self):
        self.drawings = np.random.default_rng(173).integers(0, 255, (200, 3, 56, 56), dtype=np.uint8)

    def __len__(self):
        return 40_000

    def __getitem__(self, i):
        return torch.from_numpy(self.drawings[i % 200]).float() / 255, i % 12


def main():
    torch.manual_seed(173)
    torch.set_num_threads(1)
    loader = DataLoader(Drawings(), batch_size=16, shuffle=True, num_workers=1, pin_memory=True)
    network = nn.Sequential(nn.Conv2d(3, 32, 7, 2), nn.ReLU(), nn.Conv2d(32, 48, 5), nn.ReLU(), nn.Flatten(), nn.Linear(48 * 21 * 21, 12))
    optimizer = torch.optim.AdamW(network.parameters(), 1e-4)
    clock.start()
    for drawings, artist in loader:
        clock.batch_arrived()
        loss = nn.functional.cross_entropy(network(drawings), artist)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        clock.step_done()
        if clock.is_over():
            break
    clock.report(None)


if __name__ == "__main__":
    main()
