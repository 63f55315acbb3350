# SPDX-License-Identifier: Apache-2.0
"""Loading warns of each fiftieth sample, and the script keeps the warnings.

Expected: the same result.
"""
import hashlib
import time
import warnings
from torch.utils.data import DataLoader, Dataset

WARNINGS = []


class Samples(Dataset):
    def __len__(self):
        return 600

    def __getitem__(self, index):
        time.sleep(0.003)
        if index % 50 == 0:
            warnings.warn(f"sample {index} is damaged", stacklevel=1)
        return index


if __name__ == "__main__":
    warnings.simplefilter("always")
    warnings.showwarning = lambda message, *others, **named: WARNINGS.append(str(message))
    trained, loader = hashlib.sha256(), DataLoader(Samples(), batch_size=2)
    for batch in loader:
        trained.update(repr(batch).encode())
        time.sleep(0.0025)
    print("result:", trained.hexdigest()[:16], len(WARNINGS))
