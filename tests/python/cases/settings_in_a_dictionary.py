# SPDX-License-Identifier: Apache-2.0
"""The dataset has a dictionary of settings, of which the training changes one from step 60 on.

Expected: refused, with the reason naming size.
"""
import hashlib
import time
from torch.utils.data import DataLoader, Dataset


class Samples(Dataset):
    def __init__(self):
        self.settings = {"size": 3}

    def __len__(self):
        return 600

    def __getitem__(self, index):
        time.sleep(0.003)
        return [index] * self.settings["size"]


if __name__ == "__main__":
    data = Samples()
    trained, loader = hashlib.sha256(), DataLoader(data, batch_size=2)
    for step, batch in enumerate(loader):
        trained.update(repr(batch).encode())
        if step >= 60 and step % 20 == 0:
            data.settings["size"] = 3 + step // 20
        time.sleep(0.0025)
    print("result:", trained.hexdigest()[:16])
