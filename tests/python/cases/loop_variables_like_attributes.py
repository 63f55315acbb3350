# SPDX-License-Identifier: Apache-2.0
"""The variables of the loop, which are globals of the script, have the names of attributes of the dataset. The dataset keeps
no state.

Expected: tuned.
"""
import hashlib
import time
import torch
from torch.utils.data import DataLoader, Dataset


class Samples(Dataset):
    def __init__(self):
        self.images, self.labels = torch.arange(600.0), torch.arange(600) % 10

    def __len__(self):
        return 600

    def __getitem__(self, index):
        time.sleep(0.003)
        return self.images[index], self.labels[index]


if __name__ == "__main__":
    data = Samples()
    trained, loader = hashlib.sha256(), DataLoader(data, batch_size=2)
    for batch in loader:
        trained.update(repr(batch).encode())
        images, labels = batch
        time.sleep(0.0025)
    print("result:", trained.hexdigest()[:16])
