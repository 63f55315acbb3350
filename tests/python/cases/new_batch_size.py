# SPDX-License-Identifier: Apache-2.0
"""After the first epoch a new loader has another batch size, as in progressive resizing.

Expected: the verdict is about the loader with the most time, whose batch size is 8.
"""
import time
import torch
from torch.utils.data import DataLoader, Dataset


class Samples(Dataset):
    def __len__(self):
        return 560

    def __getitem__(self, index):
        time.sleep(0.001)
        return torch.tensor(index)


if __name__ == "__main__":
    torch.set_num_threads(1)
    trained = 0
    for size, epochs in ((4, 1), (8, 5)):
        for _ in range(epochs):
            for batch in DataLoader(Samples(), size):
                trained = hash((trained, *batch.tolist()))
                time.sleep(0.003)
    print("result:", trained)
