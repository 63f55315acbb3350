# SPDX-License-Identifier: Apache-2.0
"""The dataset reads an environment variable, which the training changes every forty steps.

Expected: the same result, tuned or not.
"""
import hashlib
import os
import time
from torch.utils.data import DataLoader, Dataset


class Samples(Dataset):
    def __len__(self):
        return 600

    def __getitem__(self, index):
        time.sleep(0.003)
        return index * 100 + int(os.environ.get("STAGE", 0))


if __name__ == "__main__":
    data = Samples()
    trained, loader = hashlib.sha256(), DataLoader(data, batch_size=2)
    for step, batch in enumerate(loader):
        trained.update(repr(batch).encode())
        os.environ["STAGE"] = str(step // 40)
        time.sleep(0.0025)
    print("result:", trained.hexdigest()[:16])
