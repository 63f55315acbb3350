# SPDX-License-Identifier: Apache-2.0
"""One sample of a hundred takes 80 times as long as the others; prefetching may hide it."""
import torch
from torch.utils.data import DataLoader, Dataset
from training import train, use_cpu, wait_for_gpu


class Skewed(Dataset):
    def __len__(self) -> int:
        return 16 * 1_500

    def __getitem__(self, index: int) -> torch.Tensor:
        use_cpu(40.0 if index % 100 == 0 else 0.5)
        return torch.full((64,), float(index))


if __name__ == "__main__":
    train(lambda **settings: DataLoader(Skewed(), batch_size=16, shuffle=True, **settings), wait_for_gpu(12))
