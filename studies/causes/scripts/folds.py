# SPDX-License-Identifier: Apache-2.0
"""Sales of shops in ten folds. The stream sorts its index anew at the start of each fold."""
import random
import time

import torch
from own_clock import CURED, clock
from torch.utils.data import DataLoader, IterableDataset, get_worker_info


class Sales(IterableDataset):
    def __init__(self):
        rng = random.Random(145)
        self.days = [(rng.randint(0, 400), rng.randint(0, 90), rng.random()) for _ in range(150_000)]
        self.order = self.sort() if CURED else None

    def sort(self):
        return sorted(range(len(self.days)), key=lambda k: (self.days[k][1], self.days[k][0], -self.days[k][2]))

    def __iter__(self):
        order = self.order or self.sort()
        info = get_worker_info()
        for k in order[info.id : 1600 : info.num_workers]:
            yield torch.tensor(self.days[k])


def main():
    torch.manual_seed(145)
    loader = DataLoader(Sales(), batch_size=64, num_workers=2, persistent_workers=True)
    clock.start()
    while not clock.is_over():
        clock.epoch()
        for sales in loader:
            clock.batch_arrived()
            time.sleep(0.006)  # the accelerator trains
            clock.step_done()
    clock.report(clock.first_batches(), line="order = self.order or self.sort()")


if __name__ == "__main__":
    main()
