# SPDX-License-Identifier: Apache-2.0
"""Grains of pollen under a microscope. The process stays near its accelerator: somebody measured once that this is faster."""
import os
import time

import numpy as np
import torch
from own_clock import CURED, clock
from PIL import Image, ImageFilter
from torch.utils.data import DataLoader, Dataset


class Grains(Dataset):
    def __init__(self):
        self.grains = np.random.default_rng(110).integers(0, 255, (30, 240, 240), dtype=np.uint8)

    def __len__(self):
        return 60_000

    @clock.work
    def __getitem__(self, i):
        grain = Image.fromarray(self.grains[i % 30]).filter(ImageFilter.MedianFilter(3))
        grain = grain.rotate(i * 37 % 360, Image.BILINEAR).resize((120, 120), Image.BOX)
        return torch.from_numpy(np.array(grain)).unsqueeze(0), i % 25


def main():
    if not CURED:
        os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
    torch.manual_seed(110)
    loader = DataLoader(Grains(), batch_size=10, shuffle=True, num_workers=4)
    clock.start()
    for grains, plant in loader:
        clock.batch_arrived()
        time.sleep(0.008)  # on the accelerator
        clock.step_done()
        if clock.is_over():
            break
    clock.report(clock.waiting_for_cpu(), line="os.sched_setaffinity(0,")


if __name__ == "__main__":
    main()
