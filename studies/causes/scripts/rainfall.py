# SPDX-License-Identifier: Apache-2.0
"""Rain radar of a region, compressed; the machine belongs to more than one group."""
import time
import zlib

import numpy as np
import torch
from own_clock import clock
from torch.utils.data import DataLoader, Dataset


class Radar(Dataset):
    def __init__(self):
        rng = np.random.default_rng(105)
        self.images = [zlib.compress(rng.poisson(1.5, (400, 400)).astype(np.uint8).tobytes(), 4) for _ in range(24)]

    def __len__(self):
        return 100_000

    @clock.work
    def __getitem__(self, i):
        rain = np.frombuffer(zlib.decompress(self.images[i % 24]), np.uint8).reshape(400, 400)
        return torch.from_numpy(np.log1p(rain[::2, ::2].astype(np.float32))), float(rain[200, 200])


def main():
    torch.manual_seed(105)
    loader = DataLoader(Radar(), batch_size=20, shuffle=True, num_workers=1)
    clock.start()
    for images, later in loader:
        clock.batch_arrived()
        time.sleep(0.045)  # the accelerator trains
        clock.step_done()
        if clock.is_over():
            break
    clock.report(clock.waiting_for_cpu())


if __name__ == "__main__":
    main()
