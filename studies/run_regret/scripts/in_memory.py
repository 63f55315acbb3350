# SPDX-License-Identifier: Apache-2.0
"""Tensors in memory, large batches: loading only stacks them. The user has chosen too many workers."""
import torch
from torch.utils.data import DataLoader, Dataset
from training import train, wait_for_gpu


class Tensors(Dataset):
    def __init__(self) -> None:
        self.images = torch.rand(16_000, 3, 64, 64)

    def __len__(self) -> int:
        return 128 * 1_500

    def __getitem__(self, index: int) -> tuple[torch.Tensor, int]:
        return self.images[index % 16_000], index


if __name__ == "__main__":
    tensors = Tensors()
    train(lambda **settings: DataLoader(tensors, batch_size=128, shuffle=True, **settings), wait_for_gpu(15))
