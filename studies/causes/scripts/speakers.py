# SPDX-License-Identifier: Apache-2.0
"""Speaker recognition: filter banks by convolution. PyTorch gives a worker one thread, and the node has many cores."""
import time

import torch
from own_clock import CURED, clock
from torch.nn import functional
from torch.utils.data import DataLoader, Dataset


class Voices(Dataset):
    def __init__(self):
        generator = torch.Generator().manual_seed(111)
        self.waves = torch.randn(20, 1, 1, 16000, generator=generator)
        self.bank = torch.randn(192, 1, 400, generator=generator)

    def __len__(self):
        return 50_000

    @clock.work
    def __getitem__(self, i):
        wave = self.waves[i % 20, 0]
        with clock.cause:
            bands = functional.conv1d(wave, self.bank, stride=40)
            for _ in range(30):
                bands = torch.tanh(bands * 1.01) + 0.1 * torch.sqrt(bands.abs() + 1)
        return bands[:, ::4].clone(), i % 40


def prepare(worker):
    torch.set_num_threads(1 if CURED else 16)


def main():
    torch.manual_seed(111)
    torch.set_num_threads(1)
    loader = DataLoader(Voices(), batch_size=8, shuffle=True, num_workers=2, worker_init_fn=prepare)
    clock.start()
    for bands, speaker in loader:
        clock.batch_arrived()
        time.sleep(0.010)  # the accelerator trains
        clock.step_done()
        if clock.is_over():
            break
    clock.report(clock.in_workers(), line="torch.set_num_threads(1 if CURED")


if __name__ == "__main__":
    main()
