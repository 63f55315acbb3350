# SPDX-License-Identifier: Apache-2.0
"""The dataset moves each file to another folder once it has read it. A second load of the same sample would fail.

Expected: the same result, tuned or not; no exception.
"""
import os
import tempfile
import time
from torch.utils.data import DataLoader, Dataset


class Inbox(Dataset):
    def __init__(self, folder, files):
        self.folder, self.files = folder, files
        os.mkdir(os.path.join(folder, "done"))
        for index in range(files):
            with open(os.path.join(folder, str(index)), "w") as file:
                file.write(str(index * 3))

    def __len__(self):
        return self.files

    def __getitem__(self, index):
        time.sleep(0.003)
        path = os.path.join(self.folder, str(index))
        with open(path) as file:
            value = int(file.read())
        os.rename(path, os.path.join(self.folder, "done", str(index)))
        return value


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        data, trained = Inbox(folder, 600), 0
        for batch in DataLoader(data, batch_size=2):
            trained = hash((trained, *batch.tolist()))
            time.sleep(0.0025)
        print("result:", trained, "done:", len(os.listdir(os.path.join(folder, "done"))))
