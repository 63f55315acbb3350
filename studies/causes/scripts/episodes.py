# SPDX-License-Identifier: Apache-2.0
"""Episodes of a maze: an epoch is one episode, and the workers read the map of the maze when they begin."""
import time

import numpy as np
import torch
from own_clock import CURED, clock
from torch.utils.data import DataLoader, Dataset, get_worker_info


class Episode(Dataset):
    def __init__(self):
        self.distances = None

    def __len__(self):
        return 160

    def __getitem__(self, i):
        return torch.from_numpy(self.distances[i % 96]), i % 4


def prepare(worker):
    maze = np.random.default_rng(144).random((96, 96)).astype(np.float32)
    for k in range(96):
        maze = np.minimum(maze, maze[:, k : k + 1] + maze[k : k + 1])
    get_worker_info().dataset.distances = np.sort(np.stack([np.minimum.accumulate(maze, axis=1)] * 60).sum(0), axis=1)


def main():
    torch.manual_seed(144)
    loader = DataLoader(Episode(), batch_size=16, shuffle=True, num_workers=2, worker_init_fn=prepare, persistent_workers=CURED)
    clock.start()
    while not clock.is_over():
        clock.epoch()
        for states, moves in loader:
            clock.batch_arrived()
            time.sleep(0.004)  # the accelerator trains
            clock.step_done()
    clock.report(clock.first_batches(), line="loader = DataLoader(")


if __name__ == "__main__":
    main()
