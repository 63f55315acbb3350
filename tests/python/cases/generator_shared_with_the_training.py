# SPDX-License-Identifier: Apache-2.0
"""The loader and the noise of the training draw from one torch.Generator. A sampler that is asked ahead would draw other
numbers.

Source: pytorch/pytorch#80119, pytorch/pytorch#122697.
Expected: refused, with the reason naming the generator; with shuffle, which draws when the epoch begins and ends, the same
result.
Run: generator_shared_with_the_training.py
Run: generator_shared_with_the_training.py shuffle
"""
import hashlib
import sys
import time
import torch
from torch.utils.data import DataLoader, Dataset, RandomSampler


class Samples(Dataset):
    def __len__(self):
        return 1200

    def __getitem__(self, index):
        time.sleep(0.001)
        return index


if __name__ == "__main__":
    generator, data, seen, noise = torch.Generator().manual_seed(1), Samples(), [], []
    if sys.argv[1:] == ["shuffle"]:
        loader = DataLoader(data, batch_size=8, shuffle=True, generator=generator)
    else:
        loader = DataLoader(data, batch_size=8, sampler=RandomSampler(data, replacement=True, generator=generator))
    for _ in range(2):
        for batch in loader:
            seen += batch.tolist()
            noise += torch.randn(4, generator=generator).tolist()
            time.sleep(0.004)
    print("result:", *(hashlib.sha256(repr(values).encode()).hexdigest()[:12] for values in (seen, noise)))
