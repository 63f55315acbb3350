# SPDX-License-Identifier: Apache-2.0
"""Patches of tissue with their stain normalized, on a node that runs other jobs, too."""
import time

import numpy as np
import torch
from own_clock import clock
from torch.utils.data import DataLoader, Dataset


class Patches(Dataset):
    def __init__(self):
        rng = np.random.default_rng(106)
        self.patches = rng.integers(1, 255, (48, 128, 128, 3), dtype=np.uint8)
        self.stain = np.linalg.inv(rng.normal(size=(3, 3)) + 3 * np.eye(3)).astype(np.float32)

    def __len__(self):
        return 100_000

    @clock.work
    def __getitem__(self, i):
        density = -np.log(self.patches[i % 48].astype(np.float32) / 255)
        stains = (density[..., None, :] * self.stain).sum(-1)
        low, high = np.percentile(stains, (1, 99))
        return torch.from_numpy(np.clip((stains - low) / (high - low), 0, 1)), i % 2


def main():
    torch.manual_seed(106)
    loader = DataLoader(Patches(), batch_size=10, shuffle=True, num_workers=2)
    clock.start()
    for patches, malignant in loader:
        clock.batch_arrived()
        time.sleep(0.060)  # forward and backward elsewhere
        clock.step_done()
        if clock.is_over():
            break
    clock.report(clock.waiting_for_cpu())


if __name__ == "__main__":
    main()
