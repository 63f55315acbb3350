# SPDX-License-Identifier: Apache-2.0
"""Augmentations draw from generators of their own, and worker_init_fn adds the worker's number to their seeds. The script
has one worker; with another number of workers the same samples get other augmentations.

Source: autrainer/autrainer autrainer/augmentations/abstract_augmentation.py (offset_generator_seed).
Expected: the same result; only the prefetching may change, or nothing.
"""
import hashlib
import time
import torch
from torch.utils.data import DataLoader, Dataset, get_worker_info


class Augmentation:
    def __init__(self, p, generator_seed):
        self.p, self.generator_seed, self.g = p, generator_seed, torch.Generator()
        self.g.manual_seed(generator_seed)

    def offset_generator_seed(self, offset):
        self.generator_seed += offset
        self.g.manual_seed(self.generator_seed)

    def __call__(self, item):
        return self.apply(item) if torch.rand(1, generator=self.g).item() < self.p else item


class TimeShift(Augmentation):
    def apply(self, item):
        return item.roll(int(torch.randint(1, 32, (1,), generator=self.g)), 0)


class Gain(Augmentation):
    def apply(self, item):
        return item * torch.rand(1, generator=self.g, dtype=item.dtype)


class Sounds(Dataset):
    def __init__(self, *augmentations):
        self.augmentations = augmentations

    def __len__(self):
        return 430

    def __getitem__(self, index):
        time.sleep(0.0035)
        item = torch.arange(32, dtype=torch.float64) * (1 + index % 9)
        for augmentation in self.augmentations:
            item = augmentation(item)
        return item


def set_generators(worker_id):
    for augmentation in get_worker_info().dataset.augmentations:
        augmentation.offset_generator_seed(worker_id)


if __name__ == "__main__":
    trained = hashlib.sha256()
    loader = DataLoader(Sounds(TimeShift(0.5, 1), Gain(0.7, 2)), batch_size=2, num_workers=1, worker_init_fn=set_generators)
    for _ in range(2):
        for batch in loader:
            trained.update(batch.numpy().tobytes())
            time.sleep(0.002)
    print("result:", trained.hexdigest()[:16])
