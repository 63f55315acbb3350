# SPDX-License-Identifier: Apache-2.0
"""A mosaic transform keeps the last twenty pictures and pastes three of them next to the new one. Each worker would have a
cache of its own.

Source: AILab-CVC/YOLO-World yolo_world/datasets/transformers/mm_mix_img_transforms.py (results_cache).
Expected: refused, with the reason naming results_cache.
"""
import hashlib
import time
import torch
from torch.utils.data import DataLoader, Dataset


class CachedMosaic:
    def __init__(self, max_cached_images=20):
        self.results_cache, self.max_cached_images = [], max_cached_images

    def get_indexes(self, number):
        return [(number * 7 + 5 * corner) % len(self.results_cache) for corner in range(3)]

    def __call__(self, picture, number):
        self.results_cache.append(picture.clone())
        if len(self.results_cache) > self.max_cached_images:
            self.results_cache.pop(0)
        if len(self.results_cache) <= 4:
            return picture.repeat(1, 2, 2)
        others = [self.results_cache[i] for i in self.get_indexes(number)]
        return torch.cat([torch.cat([picture, others[0]], 2), torch.cat(others[1:], 2)], 1)


class Pictures(Dataset):
    def __init__(self, transform):
        self.transform = transform

    def __len__(self):
        return 420

    def __getitem__(self, index):
        time.sleep(0.0035)
        picture = (torch.arange(3 * 8 * 8).view(3, 8, 8) + index) % 251
        return self.transform(picture, index)


if __name__ == "__main__":
    trained = hashlib.sha256()
    loader = DataLoader(Pictures(CachedMosaic()), batch_size=2, shuffle=True, num_workers=0, generator=torch.Generator().manual_seed(3))
    for _ in range(2):
        for batch in loader:
            trained.update(batch.numpy().tobytes())
            time.sleep(0.0025)
    print("result:", trained.hexdigest()[:16])
