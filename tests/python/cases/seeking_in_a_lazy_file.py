# SPDX-License-Identifier: Apache-2.0
"""The dataset opens a file at its first sample, and seeks in it for each.

Expected: tuned.
"""
import hashlib
import os
import tempfile
import time
import torch
from torch.utils.data import DataLoader, Dataset


class Samples(Dataset):
    file = None

    def __init__(self, path):
        self.path = path

    def __len__(self):
        return 600

    def __getitem__(self, index):
        time.sleep(0.003)
        if self.file is None:
            self.file = open(self.path, "rb")
        self.file.seek(index * 64)
        return torch.frombuffer(bytearray(self.file.read(64)), dtype=torch.int64)


if __name__ == "__main__":
    folder = tempfile.TemporaryDirectory()
    data = Samples(os.path.join(folder.name, "records"))
    with open(data.path, "wb") as file:
        file.write(torch.arange(8 * 600).numpy().tobytes())
    trained, loader = hashlib.sha256(), DataLoader(data, batch_size=2)
    for batch in loader:
        trained.update(repr(batch).encode())
        time.sleep(0.0025)
    folder.cleanup()
    print("result:", trained.hexdigest()[:16])
