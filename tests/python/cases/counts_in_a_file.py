# SPDX-License-Identifier: Apache-2.0
"""The dataset keeps a count for each sample in a file that it reads and writes.

Expected: the same result.
"""
import hashlib
import os
import tempfile
import time
from torch.utils.data import DataLoader, Dataset


class Samples(Dataset):
    def __init__(self, path):
        self.file = open(path, "w+b", buffering=0)
        self.file.write(bytes(8 * 300))

    def __len__(self):
        return 600

    def __getitem__(self, index):
        time.sleep(0.003)
        self.file.seek(index % 300 * 8)
        count = int.from_bytes(self.file.read(8), "little")
        self.file.seek(index % 300 * 8)
        self.file.write((count + index + 1).to_bytes(8, "little"))
        return count


if __name__ == "__main__":
    folder = tempfile.TemporaryDirectory()
    trained, loader = hashlib.sha256(), DataLoader(Samples(os.path.join(folder.name, "counts")), batch_size=2)
    for batch in loader:
        trained.update(repr(batch).encode())
        time.sleep(0.0025)
    folder.cleanup()
    print("result:", trained.hexdigest()[:16])
