# SPDX-License-Identifier: Apache-2.0
"""Tensors in memory, large batches: to stack them is the loading. The user has taken too many workers."""
import torch
from torch.utils.data import DataLoader, TensorDataset
from training import train, wait_for_gpu

if __name__ == "__main__":
    images = torch.rand(2_000, 3, 64, 64)
    tensors = TensorDataset(images.repeat(16, 1, 1, 1), torch.arange(32_000))
    train(lambda **settings: DataLoader(tensors, batch_size=128, shuffle=True, **settings), wait_for_gpu(15))
