# SPDX-License-Identifier: Apache-2.0
"""A generator of mosaics. Each step leaves a sheet of samples on disk, to see how it learns."""
import time

import numpy as np
import torch
from own_clock import CURED, clock, data
from PIL import Image
from torch.utils.data import DataLoader, TensorDataset


def main():
    torch.manual_seed(134)
    folder = data("mosaics", lambda folder: None)
    mosaics = TensorDataset(torch.randint(0, 255, (4_000, 3, 32, 32), dtype=torch.uint8))
    loader = DataLoader(mosaics, batch_size=64, shuffle=True, num_workers=1, drop_last=True)
    step = 0
    clock.start()
    while not clock.is_over():
        for (tiles,) in loader:
            clock.batch_arrived()
            time.sleep(0.005)  # both networks train on the accelerator
            if not CURED or step % 100 == 0:
                sheet = tiles.reshape(8, 8, 3, 32, 32).permute(0, 3, 1, 4, 2).reshape(256, 256, 3)
                with clock.cause:
                    Image.fromarray(np.ascontiguousarray(sheet.numpy())).save(folder / f"sheet{step % 10}.png", optimize=True)
            step += 1
            clock.step_done()
            if clock.is_over():
                break
    clock.report(clock.in_training_thread(), line="Image.fromarray(np.ascontiguousarray(")


if __name__ == "__main__":
    main()
