# SPDX-License-Identifier: Apache-2.0
"""Each of two workers counts what it has loaded, from about its tenth batch on. Other workers would reach other levels.

Expected: refused, with the reason naming level.
"""
import hashlib
import time
from torch.utils.data import DataLoader, Dataset


class Samples(Dataset):
    def __init__(self):
        self.level = 0

    def __len__(self):
        return 600

    def __getitem__(self, index):
        time.sleep(0.015)
        if index % 40 == 39:
            self.level += 1
        return index * 100 + self.level


if __name__ == "__main__":
    trained, loader = hashlib.sha256(), DataLoader(Samples(), batch_size=2, num_workers=2)
    for batch in loader:
        trained.update(repr(batch).encode())
        time.sleep(0.0025)
    print("result:", trained.hexdigest()[:16])
