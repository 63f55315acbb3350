# SPDX-License-Identifier: Apache-2.0
"""A training step as users write it, which feedrate runs unmodified. See own-step.yaml."""
import torch
from torch import nn
from torch.utils.data import Dataset


class Stripes(Dataset):
    """Noisy stripes; the label is their direction."""

    def __init__(self, length, size):
        self._length, self._size = length, size

    def __len__(self):
        return self._length

    def __getitem__(self, index):
        random = torch.Generator().manual_seed(index)
        wave = torch.sin(torch.arange(self._size) * (0.2 + torch.rand(1, generator=random)))
        image = wave.repeat(3, self._size, 1) + torch.randn(3, self._size, self._size, generator=random)
        return (image if index % 2 else image.mT.contiguous()), index % 2


def make_dataset(length, size):
    return Stripes(length, size)


def make_step(device):
    model = nn.Sequential(
        nn.Conv2d(3, 16, 3, stride=2), nn.ReLU(), nn.Conv2d(16, 32, 3, stride=2), nn.ReLU(), nn.AdaptiveAvgPool2d(1), nn.Flatten(),
        nn.Linear(32, 2)).to(device)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    loss_of = nn.CrossEntropyLoss()

    def step(batch):
        images, labels = batch
        optimizer.zero_grad()
        loss_of(model(images), labels).backward()
        optimizer.step()

    return step
