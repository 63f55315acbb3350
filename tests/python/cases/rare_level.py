# SPDX-License-Identifier: Apache-2.0
"""Every fiftieth sample, from the 150th on, raises a level that later samples have.

Expected: the same result, tuned or not.
"""
import hashlib
import time
from torch.utils.data import DataLoader, Dataset


class Samples(Dataset):
    level = 0

    def __len__(self):
        return 600

    def __getitem__(self, index):
        time.sleep(0.003)
        if index >= 150 and index % 50 == 0:
            self.level += 1
        return index * 100 + self.level


if __name__ == "__main__":
    data = Samples()
    trained, loader = hashlib.sha256(), DataLoader(data, batch_size=2)
    for batch in loader:
        trained.update(repr(batch).encode())
        time.sleep(0.0025)
    print("result:", trained.hexdigest()[:16], "level:", data.level)
