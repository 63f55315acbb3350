# SPDX-License-Identifier: Apache-2.0
"""The training writes new targets into a memory-mapped file, and the dataset reads them. Workers would read some steps too
early.

Source: hristo-vrigazov/mmap.ninja#9, yikun2019/PENCIL PENCIL.py (new_y[index]).
Expected: refused, with the reason naming targets, or a worker's other batch.
"""
import hashlib
import os
import tempfile
import time
import numpy
import torch
from torch.utils.data import DataLoader, Dataset, RandomSampler

N, CLASSES = 48, 6


class SoftLabelled(Dataset):
    def __init__(self, path):
        self.targets = numpy.memmap(path, numpy.float64, "r+", shape=(N, CLASSES))

    def __len__(self):
        return N

    def __getitem__(self, index):
        time.sleep(0.0035)
        return torch.cos(torch.arange(CLASSES, dtype=torch.float64) * (index + 1)), torch.from_numpy(self.targets[index].copy()), index


if __name__ == "__main__":
    torch.set_num_threads(1)
    trained = hashlib.sha256()
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "targets.dat")
        numpy.memmap(path, numpy.float64, "w+", shape=(N, CLASSES))[:] = 1 / CLASSES
        data, new_y = SoftLabelled(path), numpy.memmap(path, numpy.float64, "r+", shape=(N, CLASSES))
        sampler = RandomSampler(data, replacement=True, num_samples=860, generator=torch.Generator().manual_seed(1))
        for pictures, targets, indices in DataLoader(data, batch_size=2, sampler=sampler, num_workers=0):
            trained.update(pictures.numpy().tobytes() + targets.numpy().tobytes())
            new_y[indices.numpy()] = (0.8 * targets + 0.2 * torch.softmax(3 * pictures * targets, 1)).numpy()
            time.sleep(0.0025)
        written = hashlib.sha256(new_y.tobytes()).hexdigest()[:8]
    print("result:", trained.hexdigest()[:16], written)
