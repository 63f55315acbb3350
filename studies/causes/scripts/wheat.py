# SPDX-License-Identifier: Apache-2.0
"""Fields of wheat from a drone: vegetation indices of five bands, in a job with a small share of a node."""
import time

import numpy as np
import torch
from own_clock import clock
from torch.utils.data import DataLoader, Dataset


class Fields(Dataset):
    def __init__(self):
        self.bands = np.random.default_rng(108).random((16, 5, 192, 192), dtype=np.float32)

    def __len__(self):
        return 60_000

    @clock.work
    def __getitem__(self, i):
        blue, green, red, edge, infrared = self.bands[i % 16]
        ndvi = (infrared - red) / (infrared + red + 1e-3)
        evi = 2.5 * (infrared - red) / (infrared + 6 * red - 7.5 * blue + 9)
        ndre = (infrared - edge) / (infrared + edge + 1e-3)
        ranks = np.argsort(green, axis=1).astype(np.float32)
        return torch.from_numpy(np.stack([ndvi, evi, ndre, ranks])), i % 3


def main():
    torch.manual_seed(108)
    torch.set_num_threads(1)
    loader = DataLoader(Fields(), batch_size=30, shuffle=True, num_workers=1)
    clock.start()
    for step, (indices, disease) in enumerate(loader, 1):
        clock.batch_arrived()
        time.sleep(0.035)  # a step of the accelerator
        clock.step_done()
        if clock.is_over():
            break
    clock.report(clock.waiting_for_cpu())


if __name__ == "__main__":
    main()
