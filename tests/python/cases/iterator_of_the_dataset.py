# SPDX-License-Identifier: Apache-2.0
"""The dataset takes its next value from an iterator. One worker alone, forked from the training process, would continue it; the next
setting's workers would begin again where the training process stopped.

Expected: refused, by the audit.
"""
import hashlib
import itertools
import time
from torch.utils.data import DataLoader, Dataset


class Samples(Dataset):
    def __init__(self):
        self.order = itertools.cycle(range(37))

    def __len__(self):
        return 600

    def __getitem__(self, index):
        time.sleep(0.003)
        return index * 100 + next(self.order)


if __name__ == "__main__":
    trained, loader = hashlib.sha256(), DataLoader(Samples(), batch_size=2)
    for batch in loader:
        trained.update(repr(batch).encode())
        time.sleep(0.0025)
    print("result:", trained.hexdigest()[:16])
