# SPDX-License-Identifier: Apache-2.0
"""Each process unpacks its samples in two threads of its own, without the GIL."""
import os
import random
import zlib
from concurrent.futures import ThreadPoolExecutor

import torch
from torch.utils.data import DataLoader, Dataset
from training import train, wait_for_gpu


class Packed(Dataset):
    threads, process = None, 0

    def __init__(self) -> None:
        draw = random.Random(0)
        self.packed = [zlib.compress(bytes(draw.choices(range(40), k=200_000))) for _ in range(16)]

    def __len__(self) -> int:
        return 12 * 1_500

    def __getitem__(self, index: int) -> torch.Tensor:
        if self.process != os.getpid():  # a fork copies the pool, but not its threads
            self.threads, self.process = ThreadPoolExecutor(2), os.getpid()
        halves = self.threads.map(zlib.decompress, (self.packed[index % 16], self.packed[(index + 1) % 16]))
        return torch.frombuffer(bytearray(b"".join(halves)), dtype=torch.uint8)


if __name__ == "__main__":
    packed = Packed()
    train(lambda **settings: DataLoader(packed, batch_size=12, shuffle=True, **settings), wait_for_gpu(15))
