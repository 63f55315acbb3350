# SPDX-License-Identifier: Apache-2.0
"""Epochs have 24 steps, whose loading takes 60 ms in all, and each worker takes 0.2 s to start. Without workers an epoch
begins at once.

Expected: the script's own settings stay, because workers would make each epoch longer.
"""
import time
from torch.utils.data import DataLoader, Dataset


class Samples(Dataset):
    def __len__(self):
        return 8 * 24

    def __getitem__(self, index):
        time.sleep(0.0003)
        return index


def open_files(worker):
    time.sleep(0.2)


if __name__ == "__main__":
    loader, trained = DataLoader(Samples(), batch_size=8, worker_init_fn=open_files), 0
    for _ in range(30):
        for batch in loader:
            trained = hash((trained, *batch.tolist()))
            time.sleep(0.003)
    print("result:", trained)
