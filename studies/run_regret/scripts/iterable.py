# SPDX-License-Identifier: Apache-2.0
"""A stream that the workers divide. Its settings cannot change in place, so feedrate only watches it."""
from collections.abc import Iterator

import torch
from torch.utils.data import DataLoader, IterableDataset, get_worker_info
from training import train, use_cpu, wait_for_gpu


class Stream(IterableDataset):
    def __iter__(self) -> Iterator[torch.Tensor]:
        info = get_worker_info()
        for index in range(info.id if info else 0, 8 * 1_500, info.num_workers if info else 1):
            use_cpu(1.5)
            yield torch.full((64,), float(index))


if __name__ == "__main__":
    train(lambda **settings: DataLoader(Stream(), batch_size=8, **settings), wait_for_gpu(8))
