# SPDX-License-Identifier: Apache-2.0
"""Songs, the rare ones more often: the sampler draws each index from the weights of all."""
import time

import numpy as np
import torch
from own_clock import CURED, clock
from torch.utils.data import DataLoader, Sampler, TensorDataset

SONGS = 150_000


class Rare(Sampler):
    def __init__(self):
        self.rng = np.random.default_rng(131)
        plays = self.rng.pareto(1.2, SONGS) + 1
        self.weights = (1 / plays) / (1 / plays).sum()

    def __iter__(self):
        while True:
            with clock.cause:
                chosen = self.rng.choice(SONGS, 4096 if CURED else 1, p=self.weights)
            yield from chosen.tolist()


def main():
    torch.manual_seed(131)
    songs = TensorDataset(torch.rand(SONGS, 40), torch.randint(0, 12, (SONGS,)))
    loader = DataLoader(songs, batch_size=32, sampler=Rare(), num_workers=2)
    clock.start()
    for features, genre in loader:
        clock.batch_arrived()
        time.sleep(0.010)  # the accelerator trains
        clock.step_done()
        if clock.is_over():
            break
    clock.report(clock.in_training_thread(), line="chosen = self.rng.choice(SONGS")


if __name__ == "__main__":
    main()
