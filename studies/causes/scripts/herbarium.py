# SPDX-License-Identifier: Apache-2.0
"""Dried plants. The museums named and filed their scans differently, so that each is looked for."""
import os
import time

import numpy as np
import torch
from own_clock import CURED, clock, data
from torch.utils.data import DataLoader, Dataset

SHEETS = 1500
MUSEUMS = [f"museum{k:02}" for k in range(16)]
SUFFIXES = [".tif", ".tiff", ".jpg", ".jpeg", ".png", ".raw"]


def write(folder):
    rng = np.random.default_rng(115)
    for museum in MUSEUMS:
        (folder / museum).mkdir()
    for sheet in range(SHEETS):
        (folder / MUSEUMS[sheet % 16] / f"sheet{sheet:05}{SUFFIXES[sheet % 6]}").write_bytes(rng.bytes(1024))


class Sheets(Dataset):
    def __init__(self, folder):
        self.folder = folder
        self.known = {}
        if CURED:
            self.known = {name.split(".")[0]: os.path.join(root, name) for root, _, names in os.walk(folder) for name in names}

    def __len__(self):
        return 300_000

    def find(self, name):
        for museum in MUSEUMS:
            for suffix in SUFFIXES:
                path = os.path.join(self.folder, museum, name + suffix)
                if os.path.exists(path):
                    return path

    @clock.work
    def __getitem__(self, i):
        name = f"sheet{i % SHEETS:05}"
        with clock.cause:
            path = self.known.get(name) or self.find(name)
        with open(path, "rb") as file:
            return torch.frombuffer(bytearray(file.read()), dtype=torch.uint8), i % 11


def main():
    torch.manual_seed(115)
    loader = DataLoader(Sheets(data("herbarium", write)), batch_size=128, shuffle=True, num_workers=2)
    clock.start()
    for sheets, family in loader:
        clock.batch_arrived()
        time.sleep(0.004)  # the accelerator trains
        clock.step_done()
        if clock.is_over():
            break
    clock.report(clock.in_workers(), line="if os.path.exists(path):")


if __name__ == "__main__":
    main()
