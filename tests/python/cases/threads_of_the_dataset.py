# SPDX-License-Identifier: Apache-2.0
"""The dataset reads by a thread pool that its constructor makes. A forked worker lacks the threads and would wait
forever.

Source: pola-rs/polars#17526, pola-rs/polars#24162, fsspec/s3fs#369, fsspec/gcsfs#379.
Expected: refused, with the reason naming the pool.
"""
import concurrent.futures
import time
from torch.utils.data import DataLoader, Dataset


class Remote(Dataset):
    def __init__(self):
        self.pool = concurrent.futures.ThreadPoolExecutor(4)

    def __len__(self):
        return 2400

    def read(self, index):
        time.sleep(0.004)
        return index

    def __getitem__(self, index):
        return self.read(index)

    def __getitems__(self, indices):
        return list(self.pool.map(self.read, indices))


if __name__ == "__main__":
    trained = 0
    for batch in DataLoader(Remote(), batch_size=8):
        trained = hash((trained, *batch.tolist()))
        time.sleep(0.003)
    print("result:", trained)
