# SPDX-License-Identifier: Apache-2.0
"""The dataset seeds the global generators with the index of the sample, and the training draws from the same generators.
With workers the training would draw other numbers.

Source: pytorch/pytorch#40403 (torch.manual_seed(index) in __getitem__).
Expected: refused, with the reason naming the random generators.
"""
import hashlib
import random
import time
import torch
from torch.utils.data import DataLoader, Dataset


class Pairs(Dataset):
    def __len__(self):
        return 410

    def __getitem__(self, index):
        time.sleep(0.0035)
        torch.manual_seed(index)
        random.seed(index)
        place = random.randint(0, 8)
        picture, mask = torch.arange(16.0) + index, torch.arange(16.0) % 2
        return picture[place:place + 8] + torch.rand(8), mask[place:place + 8]


if __name__ == "__main__":
    torch.set_num_threads(1)
    trained = hashlib.sha256()
    loader = DataLoader(Pairs(), batch_size=2, shuffle=True, num_workers=0, generator=torch.Generator().manual_seed(9))
    for _ in range(2):
        for pictures, masks in loader:
            share = random.random()
            mixed = share * pictures + (1 - share) * pictures.flip(0) + 0.1 * torch.randn(pictures.shape)
            trained.update(mixed.numpy().tobytes() + masks.numpy().tobytes())
            time.sleep(0.0025)
    print("result:", trained.hexdigest()[:16])
