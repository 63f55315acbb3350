# SPDX-License-Identifier: Apache-2.0
"""The second of three concatenated datasets counts its samples; the first keeps no state.

Expected: the same result, tuned or not; the count is whole.
"""
import hashlib
import time
from torch.utils.data import DataLoader, Dataset


class Plain(Dataset):
    def __len__(self):
        return 200

    def __getitem__(self, index):
        time.sleep(0.003)
        return index


class Counting(Plain):
    count = 0

    def __getitem__(self, index):
        self.count += 1
        return super().__getitem__(index) * 1000 + self.count


if __name__ == "__main__":
    parts = [Plain(), Counting(), Plain()]
    data = parts[0] + parts[1] + parts[2]
    trained, loader = hashlib.sha256(), DataLoader(data, batch_size=2)
    for batch in loader:
        trained.update(repr(batch).encode())
        time.sleep(0.0025)
    print("result:", trained.hexdigest()[:16], "counted:", parts[1].count)
