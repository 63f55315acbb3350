# SPDX-License-Identifier: Apache-2.0
"""Logs of boreholes, all in one file; a sample is put together from sixteen depths."""
import os
import time

import numpy as np
import torch
from own_clock import clock, data
from torch.utils.data import DataLoader, Dataset

RECORD, RECORDS = 4096, 160_000


def write(folder):
    rng = np.random.default_rng(113)
    with open(folder / "logs.bin", "wb") as file:
        for _ in range(RECORDS // 1000):
            file.write(rng.integers(0, 255, RECORD * 1000, dtype=np.uint8).tobytes())
        os.fsync(file.fileno())


class Boreholes(Dataset):
    def __init__(self, path):
        self.path = path
        self.file = None

    def __len__(self):
        return 400_000

    @clock.work
    def __getitem__(self, i):
        if self.file is None:
            self.file = os.open(self.path, os.O_RDONLY)
            os.posix_fadvise(self.file, 0, 0, os.POSIX_FADV_RANDOM)
        depths = np.random.default_rng(i).integers(0, RECORDS, 16)
        with clock.cause:
            records = [os.pread(self.file, RECORD, int(depth) * RECORD) for depth in depths]
        return torch.frombuffer(bytearray(b"".join(records)), dtype=torch.uint8), i % 6


def main():
    torch.manual_seed(113)
    loader = DataLoader(Boreholes(data("borehole", write) / "logs.bin"), batch_size=16, shuffle=True, num_workers=2)
    clock.start()
    for logs, rock in loader:
        clock.batch_arrived()
        time.sleep(0.004)  # the accelerator trains
        clock.step_done()
        if clock.is_over():
            break
    clock.report(clock.in_workers(), line="os.pread(self.file, RECORD,")


if __name__ == "__main__":
    main()
