# SPDX-License-Identifier: Apache-2.0
"""The training writes new labels, from step 60 on, into memory that the dataset has mapped.

Expected: refused, with the reason naming labels.
"""
import hashlib
import mmap
import time
from torch.utils.data import DataLoader, Dataset


class Samples(Dataset):
    def __init__(self):
        self.labels = mmap.mmap(-1, 4096)

    def __len__(self):
        return 600

    def __getitem__(self, index):
        time.sleep(0.003)
        return index, self.labels[index % 10]


if __name__ == "__main__":
    data = Samples()
    trained, loader = hashlib.sha256(), DataLoader(data, batch_size=2)
    for step, batch in enumerate(loader):
        trained.update(repr(batch).encode())
        if step >= 60:
            for index, label in zip(*(part.tolist() for part in batch)):
                data.labels[index % 10] = (label + index % 3 + 1) % 256
        time.sleep(0.0025)
    print("result:", trained.hexdigest()[:16])
