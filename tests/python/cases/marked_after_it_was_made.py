# SPDX-License-Identifier: Apache-2.0
"""feedrate is imported, and tune() called, after the loader was made, as in the next cell of a notebook. The loader's arguments are
unknown.

Expected: the lines to paste keep shuffle=True and drop_last=True, or there are none.
"""
import time
import torch
from torch.utils.data import DataLoader, Dataset


class Samples(Dataset):
    def __len__(self):
        return 3200

    def __getitem__(self, index):
        time.sleep(0.001)
        return index


if __name__ == "__main__":
    torch.manual_seed(1)
    loader, trained = DataLoader(Samples(), batch_size=8, shuffle=True, drop_last=True), 0
    import feedrate

    feedrate.tune(loader)
    for batch in loader:
        trained = hash((trained, *batch.tolist()))
        time.sleep(0.004)
    print("result:", trained)
