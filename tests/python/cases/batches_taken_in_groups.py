# SPDX-License-Identifier: Apache-2.0
"""The loop takes eight batches, then trains on them, as Hugging Face's Trainer does with gradient_accumulation_steps=8.

Source: huggingface/transformers#34198 (get_batch_samples), detectron2's AspectRatioGroupedDataset.
Expected: the loading share is that of the stopwatch, about 28 %.
"""
import itertools
import time
from torch.utils.data import DataLoader, Dataset


class Samples(Dataset):
    def __len__(self):
        return 8 * 8 * 20

    def __getitem__(self, index):
        time.sleep(0.001)
        return index


if __name__ == "__main__":
    iterator, loading, trained, begin = iter(DataLoader(Samples(), batch_size=8)), 0.0, 0, time.monotonic()
    while True:
        before = time.monotonic()
        batches = list(itertools.islice(iterator, 8))
        loading += time.monotonic() - before
        if not batches:
            break
        for batch in batches:
            trained = hash((trained, *batch.tolist()))
            time.sleep(0.025)
    print("result:", trained)
    print(f"stopwatch: loading {100 * loading / (time.monotonic() - begin):.0f} %")
