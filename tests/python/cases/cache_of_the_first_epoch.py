# SPDX-License-Identifier: Apache-2.0
"""The first epoch fills a cache of the dataset, from which later epochs read. Workers would fill copies that end with the
epoch.

Source: WorldCereal/presto-worldcereal#9, szymonmaszke/torchdatasets#26, pytorch/pytorch#35642.
Expected: refused, with the reason naming cache.
"""
import time
from torch.utils.data import DataLoader, Dataset


class Cached(Dataset):
    def __init__(self):
        self.cache, self.reads = {}, 0

    def __len__(self):
        return 8 * 100

    def __getitem__(self, index):
        if index not in self.cache:
            time.sleep(0.003)
            self.reads += 1
            self.cache[index] = index
        return self.cache[index]


if __name__ == "__main__":
    data, trained = Cached(), 0
    loader = DataLoader(data, batch_size=8)
    for _ in range(3):
        for batch in loader:
            trained = hash((trained, *batch.tolist()))
            time.sleep(0.005)
    print("result:", trained, "cached:", len(data.cache), "reads:", data.reads)
