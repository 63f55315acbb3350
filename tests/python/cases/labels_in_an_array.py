# SPDX-License-Identifier: Apache-2.0
"""The training writes new labels into an array.array of the dataset.

Expected: refused, with the reason naming labels.
"""
import array
import hashlib
import time
from torch.utils.data import DataLoader, Dataset


class Samples(Dataset):
    def __init__(self):
        self.labels = array.array("q", [0] * 50)

    def __len__(self):
        return 600

    def __getitem__(self, index):
        time.sleep(0.003)
        return index, self.labels[index % 50]


if __name__ == "__main__":
    data = Samples()
    trained, loader = hashlib.sha256(), DataLoader(data, batch_size=2)
    for batch in loader:
        trained.update(repr(batch).encode())
        for index, label in zip(*(part.tolist() for part in batch)):
            data.labels[index % 50] = label + index % 3 + 1
        time.sleep(0.0025)
    print("result:", trained.hexdigest()[:16])
