# SPDX-License-Identifier: Apache-2.0
"""Clips of films as floating-point numbers; a batch is a quarter of a gigabyte, and all of it is pinned."""
import torch
from own_clock import CURED, clock, seconds_of, skip_without_gpu
from torch.utils.data import DataLoader, Dataset
from torch.utils.data._utils.pin_memory import pin_memory


class Clips(Dataset):
    def __init__(self):
        self.clips = torch.randint(0, 255, (16, 16, 3, 256, 336), dtype=torch.uint8)
        if not CURED:
            self.clips = self.clips.float() / 255

    def __len__(self):
        return 100_000

    def __getitem__(self, i):
        return self.clips[i % 16]


def main():
    skip_without_gpu()
    torch.manual_seed(142)
    clips = Clips()
    batch = torch.stack([clips[i] for i in range(16)])
    pin_memory(batch)
    each = seconds_of(lambda: pin_memory(batch), 5)
    loader = DataLoader(clips, batch_size=16, shuffle=True, num_workers=12, pin_memory=True)
    clock.start()
    for batch in loader:
        clock.batch_arrived()
        batch = batch.cuda(non_blocking=True).float().mean()
        torch.cuda.synchronize()
        clock.step_done()
        if clock.is_over():
            break
    clock.report(clock.seconds_each(each), line="self.clips = self.clips.float() / 255")


if __name__ == "__main__":
    main()
