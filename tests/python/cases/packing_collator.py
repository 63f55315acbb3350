# SPDX-License-Identifier: Apache-2.0
"""The collate function gathers sequences, hands out one packed batch a call, and is flushed by the training at the end.
Workers would keep sequences in copies that nobody flushes.

Source: broadinstitute/virnucpro-broad virnucpro/data/collators.py (VarlenCollator).
Expected: refused, with the reason naming buffer or packed_queue.
"""
import hashlib
import time
import torch
from torch.utils.data import DataLoader, Dataset

ROOM = 48


class Sequences(Dataset):
    def __len__(self):
        return 860

    def __getitem__(self, index):
        time.sleep(0.0035)
        return torch.full((4 + index * 37 % 29,), index)


class VarlenCollator:
    def __init__(self, buffer_size=16):
        self.buffer, self.packed_queue, self.buffer_size = [], [], buffer_size

    def pack(self):
        bins = []
        for sequence in sorted(self.buffer, key=len, reverse=True):
            for packed in bins:
                if sum(map(len, packed)) + len(sequence) <= ROOM:
                    packed.append(sequence)
                    break
            else:
                bins.append([sequence])
        self.buffer = []
        self.packed_queue += [torch.cat(packed) for packed in bins]

    def __call__(self, batch):
        self.buffer.extend(batch)
        if len(self.buffer) >= self.buffer_size:
            self.pack()
        return self.packed_queue.pop(0) if self.packed_queue else torch.empty(0, dtype=torch.long)

    def flush(self):
        self.pack()
        rest, self.packed_queue = self.packed_queue, []
        return rest


if __name__ == "__main__":
    trained, collator, tokens = hashlib.sha256(), VarlenCollator(), 0

    def train(packed):
        global tokens
        tokens += len(packed)
        trained.update(packed.numpy().tobytes() + b"|")
        time.sleep(0.0025)

    for packed in DataLoader(Sequences(), batch_size=2, num_workers=0, collate_fn=collator):
        if len(packed):
            train(packed)
    for packed in collator.flush():
        train(packed)
    print("result:", trained.hexdigest()[:16], "tokens:", tokens)
