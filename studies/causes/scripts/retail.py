# SPDX-License-Identifier: Apache-2.0
"""A model of purchases. The validation was tried once before the training, and its loader stays for later."""
import time
import zlib

import numpy as np
import torch
from own_clock import CURED, clock
from torch.utils.data import DataLoader, Dataset


class Receipts(Dataset):
    def __init__(self, seed, length):
        rng = np.random.default_rng(seed)
        self.packed = [zlib.compress(rng.integers(0, 9, 90_000, dtype=np.uint8).tobytes(), 1) for _ in range(16)]
        self.length = length

    def __len__(self):
        return self.length

    def read(self, i):
        return torch.frombuffer(bytearray(zlib.decompress(self.packed[i % 16])[:20_000]), dtype=torch.uint8)

    @clock.work
    def __getitem__(self, i):
        return self.read(i)


class Everything(Receipts):
    """A whole customer, not one receipt."""

    def __getitem__(self, i):
        return torch.stack([self.read(i * k) for k in range(200)]).float().mean(0)


def main():
    torch.manual_seed(150)
    train = DataLoader(Receipts(150, 90_000), batch_size=96, shuffle=True, num_workers=1)
    workers = {"num_workers": 0} if CURED else {"num_workers": 6, "prefetch_factor": 200, "persistent_workers": True}
    validation = DataLoader(Everything(151, 60_000), batch_size=1, **workers)
    trial = iter(validation)
    next(trial)
    clock.start()
    for receipts in train:
        clock.batch_arrived()
        time.sleep(0.040)  # the accelerator trains
        clock.step_done()
        if clock.is_over():
            break
    clock.report(clock.waiting_for_cpu(), line="validation = DataLoader(")


if __name__ == "__main__":
    main()
