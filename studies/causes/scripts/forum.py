# SPDX-License-Identifier: Apache-2.0
"""Posts of a forum. The dictionary service allows one request at a time, so that the workers take turns."""
import multiprocessing
import time

import torch
from own_clock import CURED, clock
from torch.utils.data import DataLoader, Dataset


class Posts(Dataset):
    def __init__(self):
        self.words = torch.randint(0, 30_000, (500, 64), generator=torch.Generator().manual_seed(120))
        self.turn = multiprocessing.Semaphore(4 if CURED else 1)

    def __len__(self):
        return 80_000

    def look_up(self, words):
        time.sleep(0.004)  # the service's answer
        return words.flip(0)

    @clock.work
    def __getitem__(self, i):
        words = self.words[i % 500]
        with clock.cause:
            self.turn.acquire()
        try:
            return self.look_up(words), i % 3
        finally:
            self.turn.release()


def main():
    torch.manual_seed(120)
    loader = DataLoader(Posts(), batch_size=8, shuffle=True, num_workers=4)
    clock.start()
    for posts, mood in loader:
        clock.batch_arrived()
        time.sleep(0.006)  # the accelerator trains
        clock.step_done()
        if clock.is_over():
            break
    clock.report(clock.in_workers(), line="self.turn.acquire()")


if __name__ == "__main__":
    main()
