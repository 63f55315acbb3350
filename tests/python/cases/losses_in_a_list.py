# SPDX-License-Identifier: Apache-2.0
"""From step 60 on the training writes losses into a list, by which the batch sampler chooses.

Expected: refused, with the reason naming losses.
"""
import hashlib
import time
from torch.utils.data import DataLoader, Dataset


class Hardest:
    def __init__(self):
        self.losses = [float(k % 7) for k in range(200)]

    def __len__(self):
        return 300

    def __iter__(self):
        for _ in range(300):
            hardest = max(range(200), key=self.losses.__getitem__)
            yield [hardest, (hardest + 1) % 200]
            self.losses[hardest] -= 1


class Samples(Dataset):
    def __len__(self):
        return 600

    def __getitem__(self, index):
        time.sleep(0.003)
        return index


if __name__ == "__main__":
    data, sampler = Samples(), Hardest()
    trained, loader = hashlib.sha256(), DataLoader(data, batch_sampler=sampler)
    for step, batch in enumerate(loader):
        trained.update(repr(batch).encode())
        if step >= 60:
            for index in batch.tolist():
                sampler.losses[index] = float((index * 31 + step * 7) % 11)
        time.sleep(0.0025)
    print("result:", trained.hexdigest()[:16])
