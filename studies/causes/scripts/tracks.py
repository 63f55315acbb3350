# SPDX-License-Identifier: Apache-2.0
"""Tracks of particles. A batch is a class of its own, which sorts its hits when it is pinned."""
import time

import torch
from own_clock import CURED, clock, skip_without_gpu
from torch.utils.data import DataLoader, Dataset


class Hits(Dataset):
    def __init__(self):
        self.hits = torch.rand(64, 400, 3)

    def __len__(self):
        return 100_000

    def __getitem__(self, i):
        return self.hits[i % 64]


class Tracks:
    def __init__(self, hits):
        self.hits = torch.stack(hits)
        if CURED:
            self.hits = self.hits.gather(1, self.hits[..., :1].argsort(1).expand_as(self.hits))

    def pin_memory(self):
        if not CURED:
            with clock.cause:
                self.hits = torch.tensor([sorted(track) for track in self.hits.tolist()])
        self.hits = self.hits.pin_memory()
        return self


def main():
    skip_without_gpu()
    torch.manual_seed(143)
    loader = DataLoader(Hits(), batch_size=64, shuffle=True, num_workers=4, pin_memory=True, collate_fn=Tracks)
    clock.start()
    for tracks in loader:
        clock.batch_arrived()
        hits = tracks.hits.cuda(non_blocking=True)
        time.sleep(0.003 + 0 * len(hits))  # the host prepares the next curve
        clock.step_done()
        if clock.is_over():
            break
    clock.report(clock.in_training_thread(), line="torch.tensor([sorted(track)")


if __name__ == "__main__":
    main()
