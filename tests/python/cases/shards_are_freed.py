# SPDX-License-Identifier: Apache-2.0
"""The dataset replaces a shard every 40 samples, and the memory of the former shard is freed at once.

Expected: the same result, with one shard alive at a time.
"""
import hashlib
import time
import torch
import weakref
from torch.utils.data import DataLoader, Dataset

SHARDS = []


class Samples(Dataset):
    def __init__(self):
        self.number, self.shard = -1, None

    def __len__(self):
        return 600

    def __getitem__(self, index):
        time.sleep(0.003)
        if index // 40 != self.number:
            self.number, self.shard = index // 40, torch.full((1 << 16,), float(index // 40))
            SHARDS.append(weakref.ref(self.shard))
        return float(self.shard[index % 40])


if __name__ == "__main__":
    most = 0
    trained, loader = hashlib.sha256(), DataLoader(Samples(), batch_size=2)
    for batch in loader:
        trained.update(repr(batch).encode())
        most = max(most, sum(shard() is not None for shard in SHARDS))
        time.sleep(0.0025)
    print("result:", trained.hexdigest()[:16], most)
