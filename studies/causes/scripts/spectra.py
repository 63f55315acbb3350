# SPDX-License-Identifier: Apache-2.0
"""Spectra of galaxies: the dataset hands out whole blocks, and the model looks at one band of them."""
import time

import torch
from own_clock import CURED, clock, seconds_to_send
from torch.utils.data import DataLoader, Dataset

BAND = slice(700, 732)


class Blocks(Dataset):
    def __init__(self):
        self.survey = torch.rand(3, 4096, 2048, generator=torch.Generator().manual_seed(130))

    def __len__(self):
        return 5_000

    def __getitem__(self, i):
        block = self.survey[i % 3]
        return block[:, BAND].clone() if CURED else block * 1.0


def main():
    torch.manual_seed(130)
    torch.set_num_threads(1)
    blocks = Blocks()
    each = seconds_to_send(blocks[0])
    loader = DataLoader(blocks, batch_size=None, shuffle=True, num_workers=1)
    clock.start()
    for block in loader:
        clock.batch_arrived()
        band = block if CURED else block[:, BAND]
        time.sleep(0.005 + 0 * len(band))  # the accelerator trains
        clock.step_done()
        if clock.is_over():
            break
    clock.report(clock.seconds_each(each), line="return block[:, BAND].clone() if CURED")


if __name__ == "__main__":
    main()
