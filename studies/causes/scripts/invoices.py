# SPDX-License-Identifier: Apache-2.0
"""Scanned invoices, deskewed and cropped; a container of the cloud runs the training."""
import time

import numpy as np
import torch
from own_clock import clock
from PIL import Image
from torch.utils.data import DataLoader, Dataset


class Invoices(Dataset):
    def __init__(self):
        rng = np.random.default_rng(107)
        self.scans = rng.integers(0, 255, (20, 500, 360), dtype=np.uint8)

    def __len__(self):
        return 40_000

    @clock.work
    def __getitem__(self, i):
        scan = Image.fromarray(self.scans[i % 20]).rotate(i % 7 - 3, Image.BICUBIC, fillcolor=255)
        scan = scan.resize((180, 250), Image.LANCZOS)
        return torch.from_numpy(np.array(scan)).unsqueeze(0), i % 14


def main():
    torch.manual_seed(107)
    torch.set_num_threads(1)
    loader = DataLoader(Invoices(), batch_size=8, shuffle=True, num_workers=2)
    clock.start()
    for scans, sender in loader:
        clock.batch_arrived()
        time.sleep(0.025)  # the accelerator trains
        clock.step_done()
        if clock.is_over():
            break
    clock.report(clock.waiting_for_cpu())


if __name__ == "__main__":
    main()
