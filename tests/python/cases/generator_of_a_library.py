# SPDX-License-Identifier: Apache-2.0
"""A package in site-packages has a random generator of its own, as imgaug has.

Expected: refused, by the audit.
"""
import hashlib
import os
import sys
import tempfile
import time
from torch.utils.data import DataLoader, Dataset

LIBRARY = """
import random
_generator = random.Random(4)

class Jitter:
    def __call__(self, x):
        return x + _generator.random()
"""


class Samples(Dataset):
    def __init__(self, transform):
        self.transform = transform

    def __len__(self):
        return 600

    def __getitem__(self, index):
        time.sleep(0.003)
        return self.transform(index)


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        packages = os.path.join(folder, "site-packages")
        os.makedirs(packages)
        with open(os.path.join(packages, "augmentations.py"), "w") as file:
            file.write(LIBRARY)
        sys.path.insert(0, packages)
        import augmentations
        trained, loader = hashlib.sha256(), DataLoader(Samples(augmentations.Jitter()), batch_size=2)
        for batch in loader:
            trained.update(repr(batch).encode())
            time.sleep(0.0025)
    print("result:", trained.hexdigest()[:16])
