# SPDX-License-Identifier: Apache-2.0
"""The collate function counts its calls and changes the size of the pictures at each tenth. Each worker would count for
itself.

Source: eriklindernoren/PyTorch-YOLOv3 utils/datasets.py (ListDataset.collate_fn).
Expected: refused, with the reason naming batch_count or img_size.
"""
import hashlib
import time
import torch
import torch.nn.functional as F
from torch.utils.data import DataLoader, Dataset


class ListDataset(Dataset):
    def __init__(self, img_size=32):
        self.img_size, self.batch_count = img_size, 0
        self.min_size, self.max_size = img_size - 16, img_size + 16

    def __len__(self):
        return 425

    def __getitem__(self, index):
        time.sleep(0.0035)
        picture = (torch.arange(32 * 32).view(1, 32, 32) * (index + 1) % 257).float()
        return picture, torch.tensor([0, index % 80])

    def collate_fn(self, batch):
        pictures, targets = zip(*batch)
        for number, target in enumerate(targets):
            target[0] = number
        if self.batch_count % 10 == 0:
            sizes = range(self.min_size, self.max_size + 1, 8)
            self.img_size = sizes[self.batch_count // 10 * 3 % len(sizes)]
        pictures = torch.stack([F.interpolate(p.unsqueeze(0), size=self.img_size, mode="nearest").squeeze(0) for p in pictures])
        self.batch_count += 1
        return pictures, torch.stack(targets)


if __name__ == "__main__":
    torch.set_num_threads(1)
    data, trained = ListDataset(), hashlib.sha256()
    loader = DataLoader(data, batch_size=2, num_workers=0, collate_fn=data.collate_fn)
    for _ in range(2):
        for pictures, targets in loader:
            trained.update(repr(tuple(pictures.shape)).encode() + pictures.numpy().tobytes() + targets.numpy().tobytes())
            time.sleep(0.0025)
    print("result:", trained.hexdigest()[:16], "batches counted:", data.batch_count)
