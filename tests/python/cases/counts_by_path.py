# SPDX-License-Identifier: Apache-2.0
"""The dataset counts in a large dictionary how often it has read each path, and returns the count.

Expected: refused, with the reason naming seen.
"""
import hashlib
import time
from torch.utils.data import DataLoader, Dataset


class Samples(Dataset):
    def __init__(self):
        self.seen = {f"images/{number}.jpg": 0 for number in range(5000)}

    def __len__(self):
        return 600

    def __getitem__(self, index):
        time.sleep(0.003)
        path = f"images/{index % 150 * 31}.jpg"
        self.seen[path] += 1
        return index * 100 + self.seen[path]


if __name__ == "__main__":
    data = Samples()
    trained, loader = hashlib.sha256(), DataLoader(data, batch_size=2)
    for batch in loader:
        trained.update(repr(batch).encode())
        time.sleep(0.0025)
    print("result:", trained.hexdigest()[:16], "counted:", sum(data.seen.values()))
