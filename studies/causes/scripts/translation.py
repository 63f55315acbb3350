# SPDX-License-Identifier: Apache-2.0
"""A translation model whose step takes long; the sentences are ready before."""
import time

import torch
from own_clock import clock
from torch.utils.data import DataLoader, Dataset


class Sentences(Dataset):
    def __init__(self):
        self.words = torch.randint(0, 32_000, (5_000, 96), generator=torch.Generator().manual_seed(163))

    def __len__(self):
        return 50_000

    def __getitem__(self, i):
        source = self.words[i % 5_000]
        return source, source.flip(0)


def main():
    torch.manual_seed(163)
    loader = DataLoader(Sentences(), batch_size=64, shuffle=True, num_workers=2, pin_memory=torch.cuda.is_available())
    clock.start()
    for source, target in loader:
        clock.batch_arrived()
        with clock.cause:
            time.sleep(0.070)  # forward and backward of 300 million weights
        clock.step_done()
        if clock.is_over():
            break
    clock.report(clock.in_training_thread())


if __name__ == "__main__":
    main()
