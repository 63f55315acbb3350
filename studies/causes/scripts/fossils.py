# SPDX-License-Identifier: Apache-2.0
"""Fossils in an archive file that only one process may read at a time, as its format's manual says."""
import fcntl
import time
import zlib

import numpy as np
import torch
from own_clock import CURED, clock, data
from torch.utils.data import DataLoader, Dataset

SCANS = 20


def write(folder):
    rng = np.random.default_rng(119)
    for scan in range(SCANS):
        (folder / f"{scan}.z").write_bytes(zlib.compress(rng.integers(0, 10, 300_000, dtype=np.uint8).tobytes(), 1))
    (folder / "archive.lock").touch()


class Fossils(Dataset):
    def __init__(self, folder):
        self.folder = folder

    def __len__(self):
        return 60_000

    @clock.work
    def __getitem__(self, i):
        with open(self.folder / "archive.lock") as lock:
            if not CURED:
                with clock.cause:
                    fcntl.flock(lock, fcntl.LOCK_EX)
            scan = zlib.decompress((self.folder / f"{i % SCANS}.z").read_bytes())
        return torch.frombuffer(bytearray(scan[:30_000]), dtype=torch.uint8), i % 7


def main():
    torch.manual_seed(119)
    loader = DataLoader(Fossils(data("fossils", write)), batch_size=16, shuffle=True, num_workers=4)
    clock.start()
    for scans, era in loader:
        clock.batch_arrived()
        time.sleep(0.008)  # the accelerator trains
        clock.step_done()
        if clock.is_over():
            break
    clock.report(clock.in_workers(), line="fcntl.flock(lock, fcntl.LOCK_EX)")


if __name__ == "__main__":
    main()
