# SPDX-License-Identifier: Apache-2.0
"""Moths at a light trap: large photographs, of which the network sees a small square."""
import io
import time

import numpy as np
import torch
from own_clock import CURED, clock, data
from PIL import Image, ImageOps
from torch.utils.data import DataLoader, Dataset


def write(folder):
    rng = np.random.default_rng(103)
    for night in range(40):
        coarse = Image.fromarray(rng.integers(0, 255, (45, 60, 3), dtype=np.uint8))
        coarse.resize((1200, 900), Image.BICUBIC).save(folder / f"night{night:02}.jpg", quality=88)


class Moths(Dataset):
    def __init__(self, folder):
        self.photographs = [path.read_bytes() for path in sorted(folder.iterdir())]

    def __len__(self):
        return 30_000

    @clock.work
    def __getitem__(self, i):
        photograph = Image.open(io.BytesIO(self.photographs[i % 40]))
        if CURED:
            photograph.draft("RGB", (224, 224))
        photograph = photograph.convert("RGB")
        square = ImageOps.fit(photograph, (160, 160), Image.BILINEAR)
        return torch.from_numpy(np.array(square)).permute(2, 0, 1).contiguous(), i % 60


def main():
    torch.manual_seed(103)
    loader = DataLoader(Moths(data("moths", write)), batch_size=12, shuffle=True, num_workers=2)
    clock.start()
    for moths, species in loader:
        clock.batch_arrived()
        time.sleep(0.009)  # on the accelerator
        clock.step_done()
        if clock.is_over():
            break
    clock.report(clock.computing_in_workers(), line='photograph = photograph.convert("RGB")')


if __name__ == "__main__":
    main()
