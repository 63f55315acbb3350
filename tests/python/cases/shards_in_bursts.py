# SPDX-License-Identifier: Apache-2.0
"""One batch in sixteen loads the next shard, which takes 0.3 s; the others are in memory.

Source: discuss.pytorch.org/t/13740, and datasets that keep the current HDF5 chunk, Parquet row group or shard.
Expected: the loading share is that of the stopwatch, about 75 %.
"""
import time
from torch.utils.data import DataLoader, Dataset


class Shards(Dataset):
    shard = None

    def __len__(self):
        return 128 * 12

    def __getitem__(self, index):
        if index // 128 != self.shard:
            time.sleep(0.3)
            self.shard = index // 128
        return index


if __name__ == "__main__":
    trained, loading, begin = 0, 0.0, time.monotonic()
    before = begin
    for batch in DataLoader(Shards(), batch_size=8):
        loading += time.monotonic() - before
        trained = hash((trained, *batch.tolist()))
        time.sleep(0.006)
        before = time.monotonic()
    print("result:", trained)
    print(f"stopwatch: loading {100 * loading / (time.monotonic() - begin):.0f} %")
