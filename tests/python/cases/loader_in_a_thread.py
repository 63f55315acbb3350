# SPDX-License-Identifier: Apache-2.0
"""A thread iterates the loader and fills a queue, as BackgroundGenerator and MONAI's ThreadDataLoader do.

Source: IgorSusmelj/pytorch-styleguide#5, Deci-AI/super-gradients#1987.
Expected: the loading share is what the training waits for, about 21 %, or feedrate says that a thread takes the batches.
"""
import queue
import threading
import time
from torch.utils.data import DataLoader, Dataset


class Samples(Dataset):
    def __len__(self):
        return 8 * 160

    def __getitem__(self, index):
        time.sleep(0.003)
        return index


def produce(loader, batches):
    for batch in loader:
        batches.put(batch)
    batches.put(None)


if __name__ == "__main__":
    batches = queue.Queue(2)
    threading.Thread(target=produce, args=(DataLoader(Samples(), batch_size=8), batches), daemon=True).start()
    waited, trained, begin = 0.0, 0, time.monotonic()
    while True:
        before = time.monotonic()
        batch = batches.get()
        waited += time.monotonic() - before
        if batch is None:
            break
        trained = hash((trained, *batch.tolist()))
        time.sleep(0.020)
    print("result:", trained)
    print(f"stopwatch: loading {100 * waited / (time.monotonic() - begin):.0f} %")
