# SPDX-License-Identifier: Apache-2.0
"""A diffusion model on textures. The loader crops and flips; the accelerator has most of the work."""
import time

import numpy as np
import torch
from own_clock import clock
from torch.utils.data import DataLoader, Dataset


class Textures(Dataset):
    def __init__(self):
        self.textures = np.random.default_rng(164).integers(0, 255, (40, 160, 160, 3), dtype=np.uint8)

    def __len__(self):
        return 50_000

    def __getitem__(self, i):
        x, y = i * 31 % 96, i * 17 % 96
        crop = self.textures[i % 40, y : y + 64, x : x + 64]
        crop = crop[:, ::-1] if i % 2 else crop
        return torch.from_numpy(crop.astype(np.float32) / 127.5 - 1).permute(2, 0, 1)


def main():
    torch.manual_seed(164)
    loader = DataLoader(Textures(), batch_size=16, shuffle=True, num_workers=1, drop_last=True)
    clock.start()
    for textures in loader:
        clock.batch_arrived()
        noisy = textures + torch.randn_like(textures) * torch.rand(16, 1, 1, 1)
        with clock.cause:
            time.sleep(0.045 + 0 * len(noisy))  # the denoiser, on the accelerator
        clock.step_done()
        if clock.is_over():
            break
    clock.report(clock.in_training_thread())


if __name__ == "__main__":
    main()
