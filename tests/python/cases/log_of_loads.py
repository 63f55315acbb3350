# SPDX-License-Identifier: Apache-2.0
"""The dataset appends each index to a log, which the training reads at the end.

Expected: the same log, tuned or not.
"""
import hashlib
import os
import tempfile
import time
from torch.utils.data import DataLoader, Dataset


class Samples(Dataset):
    def __init__(self, log):
        self.log = log

    def __len__(self):
        return 600

    def __getitem__(self, index):
        time.sleep(0.003)
        with open(self.log, "a") as file:
            file.write(f"{index}\n")
        return index


if __name__ == "__main__":
    folder = tempfile.TemporaryDirectory()
    data = Samples(os.path.join(folder.name, "log"))
    trained, loader = hashlib.sha256(), DataLoader(data, batch_size=2)
    for batch in loader:
        trained.update(repr(batch).encode())
        time.sleep(0.0025)
    with open(data.log) as file:
        log = file.read()
    folder.cleanup()
    print("result:", trained.hexdigest()[:16], hashlib.sha256(log.encode()).hexdigest()[:8], log.count("\n"))
