# SPDX-License-Identifier: Apache-2.0
"""zip() takes a batch from each of two loaders in a step, as Lightning's CombinedLoader does.

Source: Lightning-AI/pytorch-lightning#1959, Lightning-AI/pytorch-lightning#11648.
Expected: the loading share is that of the stopwatch, about 85 %, for both loaders together.
"""
import time
from torch.utils.data import DataLoader, Dataset


class Samples(Dataset):
    def __init__(self, wait):
        self.wait = wait

    def __len__(self):
        return 8 * 160

    def __getitem__(self, index):
        time.sleep(self.wait)
        return index


if __name__ == "__main__":
    slow = DataLoader(Samples(0.002), batch_size=8)
    quick = DataLoader(Samples(0.001), batch_size=8)
    trained, loading, begin = 0, 0.0, time.monotonic()
    before = begin
    for both in zip(slow, quick):
        loading += time.monotonic() - before
        trained = hash((trained, *both[0].tolist(), *both[1].tolist()))
        time.sleep(0.005)
        before = time.monotonic()
    print("result:", trained)
    print(f"stopwatch: loading {100 * loading / (time.monotonic() - begin):.0f} %")
