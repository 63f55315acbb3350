# SPDX-License-Identifier: Apache-2.0
"""Each batch is a nested tensor, whose shape cannot be asked for.

Source: pytorch/pytorch#110161, pytorch/pytorch#104198.
Expected: a verdict, whose loading share is that of the stopwatch, about 68 %.
"""
import time
import warnings
import torch
from torch.utils.data import DataLoader, Dataset


class Clips(Dataset):
    def __len__(self):
        return 8 * 160

    def __getitem__(self, index):
        time.sleep(0.002)
        return torch.full((1 + index % 5, 4), float(index))


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    nested = getattr(torch, "nested", None)
    make = getattr(nested, "as_nested_tensor", None) or nested.nested_tensor
    trained, loading, begin = 0, 0.0, time.monotonic()
    before = begin
    for batch in DataLoader(Clips(), batch_size=8, collate_fn=make):
        loading += time.monotonic() - before
        trained = hash((trained, *(float(part.sum()) for part in batch.unbind())))
        time.sleep(0.008)
        before = time.monotonic()
    print("result:", trained)
    print(f"stopwatch: loading {100 * loading / (time.monotonic() - begin):.0f} %")
