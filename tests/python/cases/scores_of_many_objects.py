# SPDX-License-Identifier: Apache-2.0
"""Batches are objects of the dataset, which the training gives scores. Workers would hand out copies.

Expected: refused, with the reason naming score.
"""
import hashlib
import random
import time
from torch.utils.data import DataLoader, Dataset


class Game:
    def __init__(self, number):
        self.number, self.score = number, 0

    def __repr__(self):
        return f"Game({self.number}, {self.score})"


class Games(Dataset):
    def __init__(self):
        self.games = [Game(number) for number in range(2000)]
        numbers = random.Random(1)
        self.chosen = [2 * numbers.randrange(50, 990) + 1 for _ in range(60)]

    def __len__(self):
        return 600

    def __getitem__(self, index):
        time.sleep(0.003)
        return self.games[self.chosen[index % 60]]


if __name__ == "__main__":
    data = Games()
    trained, loader = hashlib.sha256(), DataLoader(data, batch_size=2, collate_fn=list)
    for batch in loader:
        trained.update(repr(batch).encode())
        for game in batch:
            game.score += 1
        time.sleep(0.0025)
    print("result:", trained.hexdigest()[:16], sum(game.score for game in data.games))
