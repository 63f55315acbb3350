# SPDX-License-Identifier: Apache-2.0
"""The dataset has many nested records, and behind them settings that the training changes every forty steps.

Expected: refused, with the reason naming size.
"""
import hashlib
import time
from torch.utils.data import DataLoader, Dataset


class Samples(Dataset):
    def __init__(self):
        self.records = [{"id": k, "boxes": [[k, j, 1.5, 2.5] for j in range(60)]} for k in range(600)]
        self.settings = {"size": 3}

    def __len__(self):
        return 600

    def __getitem__(self, index):
        time.sleep(0.003)
        return [index] * self.settings["size"]


if __name__ == "__main__":
    data = Samples()
    trained, loader = hashlib.sha256(), DataLoader(data, batch_size=2)
    for step, batch in enumerate(loader):
        trained.update(repr(batch).encode())
        data.settings["size"] = 3 + step // 40
        time.sleep(0.0025)
    print("result:", trained.hexdigest()[:16])
