# SPDX-License-Identifier: Apache-2.0
"""The training changes the default type of tensors every forty steps, and the dataset makes tensors.

Expected: the same result, tuned or not.
"""
import hashlib
import time
import torch
from torch.utils.data import DataLoader, Dataset


class Samples(Dataset):
    def __len__(self):
        return 600

    def __getitem__(self, index):
        time.sleep(0.003)
        return torch.zeros(2) + index


if __name__ == "__main__":
    data = Samples()
    trained, loader = hashlib.sha256(), DataLoader(data, batch_size=2)
    for step, batch in enumerate(loader):
        trained.update(repr(batch).encode())
        if step % 40 == 39:
            torch.set_default_dtype(torch.float64 if step // 40 % 2 else torch.float32)
        time.sleep(0.0025)
    torch.set_default_dtype(torch.float32)
    print("result:", trained.hexdigest()[:16])
