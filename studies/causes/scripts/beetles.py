# SPDX-License-Identifier: Apache-2.0
"""Beetles in trays: every picture has its own number of boxes, so that a batch holds one small tensor for each box."""
import time

import torch
from own_clock import CURED, clock, seconds_to_receive
from torch.utils.data import DataLoader, Dataset


class Trays(Dataset):
    def __init__(self):
        self.boxes = torch.rand(50, 24, 4, generator=torch.Generator().manual_seed(128))

    def __len__(self):
        return 100_000

    def __getitem__(self, i):
        return self.boxes[i % 50, : 12 + i % 12]


def join(trays):
    if CURED:
        return torch.cat(trays), [len(boxes) for boxes in trays]
    return [[box.clone() for box in boxes] for boxes in trays]


def main():
    torch.manual_seed(128)
    trays = Trays()
    each = seconds_to_receive(join([trays[i] for i in range(16)]))
    loader = DataLoader(trays, batch_size=16, shuffle=True, num_workers=2, collate_fn=join)
    clock.start()
    for step, boxes in enumerate(loader, 1):
        clock.batch_arrived()
        time.sleep(0.005)  # the accelerator trains
        clock.step_done()
        if clock.is_over():
            break
    clock.report(clock.seconds_each(each), line="[[box.clone() for box in boxes]")


if __name__ == "__main__":
    main()
