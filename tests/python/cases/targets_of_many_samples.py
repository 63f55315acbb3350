# SPDX-License-Identifier: Apache-2.0
"""From step 60 on the training writes new targets into a large array, which the dataset reads through a list of indices.

Expected: refused, with the reason naming targets.
"""
import hashlib
import numpy
import time
from torch.utils.data import DataLoader, Dataset


class Samples(Dataset):
    def __init__(self):
        self.targets = numpy.zeros((100_000, 8))

    def __len__(self):
        return 600

    def __getitem__(self, index):
        time.sleep(0.003)
        row = index % 40 * 2017
        return index, float(self.targets[row, 3])


if __name__ == "__main__":
    data = Samples()
    trained, loader = hashlib.sha256(), DataLoader(data, batch_size=2)
    for step, batch in enumerate(loader):
        trained.update(repr(batch).encode())
        if step >= 60:
            for index, target in zip(*(part.tolist() for part in batch)):
                data.targets[index % 40 * 2017, 3] = target + index + 1
        time.sleep(0.0025)
    print("result:", trained.hexdigest()[:16])
