# SPDX-License-Identifier: Apache-2.0
"""Tensors in memory and a model of one small layer, on the CPU: a step is shorter than a message from a worker."""
import torch
from torch.utils.data import DataLoader, TensorDataset
from training import train

if __name__ == "__main__":
    tensors = TensorDataset(torch.rand(32_000, 32), torch.arange(32_000))
    weights = torch.rand(32, 128)
    train(lambda **settings: DataLoader(tensors, batch_size=32, shuffle=True, **settings), lambda batch: batch[0] @ weights)
