# SPDX-License-Identifier: Apache-2.0
"""Frames of a telescope, a shard for each night; one night was clear, the others were cloudy."""
import time

import torch
from own_clock import CURED, clock
from torch.utils.data import DataLoader, IterableDataset, get_worker_info

FRAMES = {"monday": 20, "tuesday": 100_000, "wednesday": 12}


class Nights(IterableDataset):
    def __init__(self):
        self.sky = torch.rand(16, 96, 96, generator=torch.Generator().manual_seed(122))

    def frames(self):
        info = get_worker_info()
        if CURED:
            return range(info.id, sum(FRAMES.values()), info.num_workers)
        night = sorted(FRAMES)[info.id]
        return range(FRAMES[night])

    def __iter__(self):
        for k in self.frames():
            with clock.work:
                time.sleep(0.003)  # the frame comes from the tape library
                frame = self.sky[k % 16] - self.sky[k % 16].median()
            yield frame, k % 2


def main():
    torch.manual_seed(122)
    loader = DataLoader(Nights(), batch_size=16, num_workers=3)
    clock.start()
    for frames, transient in loader:
        clock.batch_arrived()
        time.sleep(0.006)  # the accelerator trains
        clock.step_done()
        if clock.is_over():
            break
    clock.report(clock.idle_workers(3), line="night = sorted(FRAMES)[info.id]")


if __name__ == "__main__":
    main()
