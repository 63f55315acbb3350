# SPDX-License-Identifier: Apache-2.0
"""Shared by the scripts: a dataset, a model that records each loss and sample, and a stopwatch around next() of PyTorch's DataLoader."""
import argparse
import time

import torch
from torch import nn
from torch.utils.data.dataloader import _BaseDataLoaderIter

from pictures import Pictures


def arguments(**others):
    parser = argparse.ArgumentParser()
    parser.add_argument("--accumulation", type=int, default=1)
    parser.add_argument("--epochs", type=int, default=2)
    for name, default in others.items():
        parser.add_argument("--" + name.replace("_", "-"), type=type(default), default=default)
    return parser.parse_args()


class NumberedPictures(Pictures):
    """The label is the index."""

    def __getitem__(self, index: int):
        picture, _ = super().__getitem__(index)
        return picture, index


class Classifier(nn.Module):
    """Its forward() returns the loss, as in transformers, and records it."""

    def __init__(self) -> None:
        super().__init__()
        self.layers = nn.Sequential(
            nn.Conv2d(3, 16, 5), nn.ReLU(), nn.Conv2d(16, 16, 5, stride=2), nn.ReLU(), nn.Flatten(), nn.Dropout(0.2), nn.Linear(2304, 10)
        )
        self.noted = []

    def forward(self, pixel_values, labels):
        loss = nn.functional.cross_entropy(self.layers(pixel_values), labels % 10)
        self.noted.append((loss.item(), labels.tolist()))
        return {"loss": loss}

    def print_noted(self) -> None:
        for loss, samples in self.noted:
            print(f"samples {hash(tuple(samples)):x}: loss {loss.hex()}")


class Stopwatch:
    """Seconds in next(), and in total: from the first call after the warm-up to the end of the last one."""

    WARM_UP = 10  # calls: more than one step of any accumulation here

    def __init__(self) -> None:
        self.loading = 0.0
        self.calls = 0
        self.begin = self.end = 0.0
        untimed = _BaseDataLoaderIter.__next__

        def timed(iterator):
            asked = time.perf_counter()
            try:
                return untimed(iterator)
            finally:
                self.note(asked)

        _BaseDataLoaderIter.__next__ = timed

    def note(self, asked: float) -> None:
        self.calls += 1
        self.end = time.perf_counter()
        if self.calls == self.WARM_UP:
            self.begin = asked
        if self.calls >= self.WARM_UP:
            self.loading += self.end - asked

    def print_share(self) -> None:
        print(f"stopwatch: loading {100 * self.loading / (self.end - self.begin):.0f} %")


def collate(samples):
    pictures, labels = zip(*samples)
    return {"pixel_values": torch.stack(pictures), "labels": torch.tensor(labels)}
