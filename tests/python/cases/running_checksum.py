# SPDX-License-Identifier: Apache-2.0
"""The dataset keeps a running checksum of what it has read, whose state is in a C object.

Expected: refused, with the reason naming checksum.
"""
import hashlib
import time
from torch.utils.data import DataLoader, Dataset


class Samples(Dataset):
    def __init__(self):
        self.checksum = hashlib.sha256()

    def __len__(self):
        return 600

    def __getitem__(self, index):
        time.sleep(0.003)
        self.checksum.update(b"%d" % index)
        return index


if __name__ == "__main__":
    data = Samples()
    trained, loader = hashlib.sha256(), DataLoader(data, batch_size=2)
    for batch in loader:
        trained.update(repr(batch).encode())
        time.sleep(0.0025)
    print("result:", trained.hexdigest()[:16], data.checksum.hexdigest()[:8])
