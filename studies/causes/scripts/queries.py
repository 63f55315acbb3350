# SPDX-License-Identifier: Apache-2.0
"""Search queries in batches of similar length; the buckets are made from all that have not been seen."""
import random
import time

import torch
from own_clock import CURED, clock
from torch.utils.data import DataLoader, Dataset


class Queries(Dataset):
    def __init__(self):
        rng = random.Random(132)
        self.lengths = [rng.randint(1, 40) for _ in range(120_000)]

    def __len__(self):
        return len(self.lengths)

    def __getitem__(self, i):
        return torch.full((self.lengths[i],), i)


class Buckets:
    def __init__(self, lengths, size):
        self.lengths, self.size = lengths, size

    def __iter__(self):
        rng = random.Random(1)
        left = list(range(len(self.lengths)))
        rng.shuffle(left)
        while left:
            first = left[-1]
            with clock.cause:
                alike = [i for i in (left[-4000:] if CURED else left) if self.lengths[i] == self.lengths[first]][-self.size :]
                chosen = set(alike)
                left = [i for i in left if i not in chosen] if not CURED else left[:-4000] + [i for i in left[-4000:] if i not in chosen]
            yield alike


def main():
    torch.manual_seed(132)
    queries = Queries()
    loader = DataLoader(queries, batch_sampler=Buckets(queries.lengths, 24), num_workers=2)
    clock.start()
    for batch in loader:
        clock.batch_arrived()
        time.sleep(0.006)  # the accelerator trains
        clock.step_done()
        if clock.is_over():
            break
    clock.report(clock.in_training_thread(), line="alike = [i for i in (left[-4000:]")


if __name__ == "__main__":
    main()
