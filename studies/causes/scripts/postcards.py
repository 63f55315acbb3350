# SPDX-License-Identifier: Apache-2.0
"""Old postcards, sorted by the decade in which they were printed. The loader has its default arguments."""
import io
import time

import numpy as np
import torch
from own_clock import CURED, clock, data
from PIL import Image
from torch.utils.data import DataLoader, Dataset


def write(folder):
    rng = np.random.default_rng(102)
    for card in range(80):
        coarse = Image.fromarray(rng.integers(0, 255, (30, 40, 3), dtype=np.uint8))
        coarse.resize((800, 600), Image.BICUBIC).save(folder / f"{card:03}.jpg", quality=90)


class Postcards(Dataset):
    def __init__(self, folder):
        self.files = [path.read_bytes() for path in sorted(folder.iterdir())]

    def __len__(self):
        return 50_000

    @clock.work
    def __getitem__(self, i):
        card = Image.open(io.BytesIO(self.files[i % len(self.files)])).convert("RGB")
        card = card.resize((256, 192), Image.BILINEAR)
        return torch.from_numpy(np.array(card)).permute(2, 0, 1).contiguous(), i % 9


def main():
    torch.manual_seed(102)
    cards = Postcards(data("postcards", write))
    workers = {"num_workers": 2} if CURED else {}
    loader = DataLoader(cards, batch_size=16, shuffle=True, **workers)
    clock.start()
    for step, (pictures, decade) in enumerate(loader):
        clock.batch_arrived()
        time.sleep(0.040)  # a step of the accelerator
        clock.step_done()
        if clock.is_over():
            break
    clock.report(clock.computing_in_workers(), line="loader = DataLoader(")


if __name__ == "__main__":
    main()
