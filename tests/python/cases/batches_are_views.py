# SPDX-License-Identifier: Apache-2.0
"""Each item is a view of one array that the dataset holds, and the training normalizes it in place. A batch from a worker is
a copy, so that the next epoch and the saved array would lack the changes.

Source: aitorzip/PyTorch-CycleGAN#6, facebookresearch/pycls#21, mindee/doctr#840.
Expected: refused, with the reason naming the rows of the dataset.
"""
import hashlib
import time
import numpy
import torch
from torch.utils.data import DataLoader, Dataset


class Rows(Dataset):
    def __init__(self, rows, batch_size):
        self.rows, self.batch_size = rows, batch_size

    def __len__(self):
        return len(self.rows) // self.batch_size

    def __getitem__(self, index):
        time.sleep(0.005)
        return torch.from_numpy(self.rows[index * self.batch_size:(index + 1) * self.batch_size])


if __name__ == "__main__":
    torch.set_num_threads(1)
    rows = numpy.random.RandomState(1).rand(200 * 8, 16)
    trained = hashlib.sha256()
    loader = DataLoader(Rows(rows, 8), batch_size=None, shuffle=True, num_workers=0, generator=torch.Generator().manual_seed(2))
    for epoch in range(3):
        for step, batch in enumerate(loader):
            trained.update(batch.numpy().tobytes())
            batch.sub_(batch.mean()).mul_(1.1)
            batch[:, (step + epoch) % 16] = 0
            time.sleep(0.002)
    print("result:", trained.hexdigest()[:16], hashlib.sha256(rows.tobytes()).hexdigest()[:8])
