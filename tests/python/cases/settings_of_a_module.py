# SPDX-License-Identifier: Apache-2.0
"""The dataset reads the settings of an imported module, which the training changes every forty steps.

Expected: refused, with the reason naming the module's size.
"""
import hashlib
import sys
import time
import types
from torch.utils.data import DataLoader, Dataset

settings = sys.modules["settings"] = types.ModuleType("settings", "As a file settings.py beside the script.")
settings.size = 3


class Samples(Dataset):
    def __len__(self):
        return 600

    def __getitem__(self, index):
        time.sleep(0.003)
        return [index] * settings.size


if __name__ == "__main__":
    data = Samples()
    trained, loader = hashlib.sha256(), DataLoader(data, batch_size=2)
    for step, batch in enumerate(loader):
        trained.update(repr(batch).encode())
        settings.size = 3 + step // 40
        time.sleep(0.0025)
    print("result:", trained.hexdigest()[:16])
