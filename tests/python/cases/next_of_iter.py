# SPDX-License-Identifier: Apache-2.0
"""Each step calls next(iter(loader)) with two workers, so that it begins an epoch.

Source: skelemoa/synse-zsl#6, choosehappy/QuickAnnotator#127, nmichlo/disent#49.
Expected: a verdict, whose loading share is that of the stopwatch, above 80 %.
"""
import time
import torch
from torch.utils.data import DataLoader, Dataset


class Samples(Dataset):
    def __len__(self):
        return 4000

    def __getitem__(self, index):
        time.sleep(0.002)
        return index


if __name__ == "__main__":
    torch.manual_seed(1)
    loader = DataLoader(Samples(), batch_size=8, shuffle=True, num_workers=2)
    trained, loading, begin = 0, 0.0, time.monotonic()
    for _ in range(60):
        before = time.monotonic()
        batch = next(iter(loader))
        loading += time.monotonic() - before
        trained = hash((trained, *batch.tolist()))
        time.sleep(0.008)
    print("result:", trained)
    print(f"stopwatch: loading {100 * loading / (time.monotonic() - begin):.0f} %")
