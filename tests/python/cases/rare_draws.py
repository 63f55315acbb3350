# SPDX-License-Identifier: Apache-2.0
"""Every fortieth sample, from the 160th on, is augmented by a random number of the global generator.

Expected: the same result, tuned or not.
"""
import hashlib
import numpy
import time
from torch.utils.data import DataLoader, Dataset


class Samples(Dataset):
    def __len__(self):
        return 600

    def __getitem__(self, index):
        time.sleep(0.003)
        return index + (numpy.random.rand() if index >= 160 and index % 40 == 0 else 0)


if __name__ == "__main__":
    numpy.random.seed(3)
    data = Samples()
    trained, loader = hashlib.sha256(), DataLoader(data, batch_size=2)
    for batch in loader:
        trained.update(repr(batch).encode())
        time.sleep(0.0025)
    print("result:", trained.hexdigest()[:16], numpy.random.rand())
