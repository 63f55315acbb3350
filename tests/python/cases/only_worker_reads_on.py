# SPDX-License-Identifier: Apache-2.0
"""The only worker opens a file at its first sample and reads the next line for each sample. Another number of workers would
read other lines.

Expected: the same result; only the prefetching may change, or nothing.
"""
import hashlib
import os
import tempfile
import time
from torch.utils.data import DataLoader, Dataset


class Samples(Dataset):
    def __init__(self, path):
        self.path, self.file = path, None

    def __len__(self):
        return 600

    def __getitem__(self, index):
        time.sleep(0.003)
        if self.file is None:
            self.file = open(self.path)
        return index * 10000 + int(self.file.readline())


if __name__ == "__main__":
    folder = tempfile.TemporaryDirectory()
    data = Samples(os.path.join(folder.name, "lines"))
    with open(data.path, "w") as file:
        file.writelines(f"{number}\n" for number in range(1000))
    trained, loader = hashlib.sha256(), DataLoader(data, batch_size=2, num_workers=1)
    for batch in loader:
        trained.update(repr(batch).encode())
        time.sleep(0.0025)
    folder.cleanup()
    print("result:", trained.hexdigest()[:16])
