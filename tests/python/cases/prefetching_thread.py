# SPDX-License-Identifier: Apache-2.0
"""The dataset starts a thread at its first access, which reads ahead into a queue; __getitem__ takes the next batch. A worker
that is forked later lacks the thread and would wait forever.

Source: official-stockfish/nnue-pytorch data_loader/dataset.py (FixedNumBatchesDataset).
Expected: refused, with the reason naming the thread, the stream or the queue.
"""
import hashlib
import queue
import threading
import time
import torch
from torch.utils.data import DataLoader, Dataset


def positions():
    state = 12345
    while True:
        rows = []
        for _ in range(16):
            state = state * 1103515245 + 12345 & 0x7FFFFFFF
            rows.append(state)
        yield torch.tensor(rows)


class FixedNumBatchesDataset(Dataset):
    def __init__(self, stream, num_batches):
        self.stream, self.num_batches = stream, num_batches
        self._prefetch_queue, self._lock = queue.Queue(maxsize=10), threading.Lock()
        self._prefetch_thread, self._stop_prefetching = None, threading.Event()

    def _prefetch_worker(self):
        while not self._stop_prefetching.is_set():
            item = next(self.stream)
            while not self._stop_prefetching.is_set():
                try:
                    self._prefetch_queue.put(item, timeout=0.5)
                    break
                except queue.Full:
                    pass

    def _start_prefetching(self):
        with self._lock:
            if self._prefetch_thread is None:
                self._prefetch_thread = threading.Thread(target=self._prefetch_worker, daemon=True)
                self._prefetch_thread.start()

    def __len__(self):
        return self.num_batches

    def __getitem__(self, index):
        self._start_prefetching()
        batch = self._prefetch_queue.get()
        time.sleep(0.005)
        return batch % 4096, batch // 4096


if __name__ == "__main__":
    data, trained = FixedNumBatchesDataset(positions(), 600), hashlib.sha256()
    for features, scores in DataLoader(data, batch_size=None, num_workers=0):
        trained.update(features.numpy().tobytes() + scores.numpy().tobytes())
        time.sleep(0.002)
    data._stop_prefetching.set()
    print("result:", trained.hexdigest()[:16])
