# SPDX-License-Identifier: Apache-2.0
"""Text: a collate_fn in Python pads token lists and makes masks, which takes longer than the dataset."""
import random

import torch
from torch.utils.data import DataLoader, Dataset
from training import train, wait_for_gpu


class Sentences(Dataset):
    def __init__(self) -> None:
        draw = random.Random(0)
        self.tokens = [[draw.randrange(30_000) for _ in range(draw.randint(300, 600))] for _ in range(2_000)]

    def __len__(self) -> int:
        return 128 * 1_500

    def __getitem__(self, index: int) -> list:
        return self.tokens[index % len(self.tokens)]


def collate(batch: list) -> tuple:
    longest = max(map(len, batch))
    padded = [tokens + [0] * (longest - len(tokens)) for tokens in batch]
    mask = [[1.0 if token else 0.0 for token in tokens] for tokens in padded]
    return torch.tensor(padded), torch.tensor(mask)


if __name__ == "__main__":
    sentences = Sentences()
    train(lambda **settings: DataLoader(sentences, batch_size=128, shuffle=True, collate_fn=collate, **settings), wait_for_gpu(12))
