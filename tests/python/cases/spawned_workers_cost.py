# SPDX-License-Identifier: Apache-2.0
"""Workers are spawned, and take two seconds to import the script.

Source: pytorch/examples imagenet/main.py, and scripts that call set_start_method("spawn") for CUDA.
Expected: the cost of trials stays within the bound that is printed.
"""
import multiprocessing
import time
from torch.utils.data import DataLoader, Dataset

if __name__ == "__mp_main__":
    time.sleep(2)


class Samples(Dataset):
    def __len__(self):
        return 8 * 200

    def __getitem__(self, index):
        time.sleep(0.002)
        return index


if __name__ == "__main__":
    multiprocessing.set_start_method("spawn")
    loader, trained = DataLoader(Samples(), batch_size=8, num_workers=1, persistent_workers=True), 0
    for _ in range(2):
        for batch in loader:
            trained = hash((trained, *batch.tolist()))
            time.sleep(0.008)
    print("result:", trained)
