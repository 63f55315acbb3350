# SPDX-License-Identifier: Apache-2.0
"""A transform draws from a generator of its own, as MONAI's Randomizable does. Forked workers would have copies that draw
the same numbers.

Source: Project-MONAI/MONAI#1068, wolny/pytorch-3dunet#32, pytorch/pytorch#5059.
Expected: refused, with the reason naming random.
"""
import time
import numpy
from torch.utils.data import DataLoader, Dataset


class Crops(Dataset):
    def __init__(self):
        self.random = numpy.random.default_rng(7)

    def __len__(self):
        return 2400

    def __getitem__(self, index):
        time.sleep(0.001)
        return self.random.integers(1 << 40)


if __name__ == "__main__":
    crops = []
    for batch in DataLoader(Crops(), batch_size=8):
        crops += batch.tolist()
        time.sleep(0.004)
    print("result:", hash(tuple(crops)), "different crops:", len(set(crops)))
