# SPDX-License-Identifier: Apache-2.0
"""Storage with a latency of 4 ms per sample: workers mostly wait, so more of them than CPUs help."""
import time

import torch
from torch.utils.data import DataLoader, Dataset
from training import train, wait_for_gpu


class Remote(Dataset):
    def __len__(self) -> int:
        return 8 * 1_500

    def __getitem__(self, index: int) -> torch.Tensor:
        time.sleep(0.004)
        return torch.full((64,), float(index))


if __name__ == "__main__":
    train(lambda **settings: DataLoader(Remote(), batch_size=8, shuffle=True, **settings), wait_for_gpu(10))
