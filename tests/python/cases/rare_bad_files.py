# SPDX-License-Identifier: Apache-2.0
"""The dataset notes bad files in a list, which the training reports. The first bad file comes after 75 steps.

Expected: the same result, tuned or not; the list is whole.
"""
import hashlib
import time
from torch.utils.data import DataLoader, Dataset


class Samples(Dataset):
    def __init__(self):
        self.bad = []

    def __len__(self):
        return 600

    def __getitem__(self, index):
        time.sleep(0.003)
        if index > 150 and index % 50 == 7:
            self.bad.append(index)
            return -1
        return index


if __name__ == "__main__":
    data = Samples()
    trained, loader = hashlib.sha256(), DataLoader(data, batch_size=2)
    for batch in loader:
        trained.update(repr(batch).encode())
        time.sleep(0.0025)
    print("result:", trained.hexdigest()[:16], "bad:", data.bad)
