# SPDX-License-Identifier: Apache-2.0
"""Each epoch has a new DataLoader over a subset that grows, as in active learning and curricula.

Source: PaddlePaddle/PaddleOCR#3127, BlackHC/batchbald_redux#1.
Expected: all epochs are those of one loader, and what was found for one epoch is used in the next.
"""
import time
import torch
from torch.utils.data import DataLoader, Dataset, Subset


class Samples(Dataset):
    def __len__(self):
        return 4000

    def __getitem__(self, index):
        time.sleep(0.0015)
        return index


if __name__ == "__main__":
    torch.manual_seed(1)
    trained = 0
    for epoch in range(8):
        for batch in DataLoader(Subset(Samples(), range(320 + 16 * epoch)), batch_size=8, shuffle=True):
            trained = hash((trained, *batch.tolist()))
            time.sleep(0.004)
    print("result:", trained)
