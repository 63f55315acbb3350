# SPDX-License-Identifier: Apache-2.0
"""Lines of manuscripts, with all their transcriptions in memory; the dataset frees what a page leaves behind."""
import gc
import time
import zlib

import numpy as np
import torch
from own_clock import CURED, clock
from torch.utils.data import DataLoader, Dataset


class Lines(Dataset):
    def __init__(self):
        rng = np.random.default_rng(160)
        self.pages = [zlib.compress(rng.integers(0, 8, 60_000, dtype=np.uint8).tobytes(), 1) for _ in range(20)]
        self.transcriptions = [{"page": k % 20, "words": [("word", k, j) for j in range(4)]} for k in range(10_000)]

    def __len__(self):
        return 40_000

    @clock.work
    def __getitem__(self, i):
        page = zlib.decompress(self.pages[i % 20])
        line = torch.frombuffer(bytearray(page[:12_000]), dtype=torch.uint8)
        del page
        if not CURED:
            with clock.cause:
                gc.collect()
        return line, len(self.transcriptions[i % 10_000]["words"])


def main():
    torch.manual_seed(160)
    loader = DataLoader(Lines(), batch_size=2, shuffle=True, num_workers=2)
    clock.start()
    for lines, words in loader:
        clock.batch_arrived()
        time.sleep(0.010)  # the accelerator trains
        clock.step_done()
        if clock.is_over():
            break
    clock.report(clock.in_workers(), line="gc.collect()")


if __name__ == "__main__":
    main()
