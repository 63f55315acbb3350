# SPDX-License-Identifier: Apache-2.0
"""The dataset replaces a sample that fails by one that it draws with its own random.Random from a set that changes at each
failure. Workers would have copies of both.

Source: facebookresearch/detectron2 detectron2/data/common.py (MapDataset).
Expected: refused, with the reason naming _rng or _fallback_candidates.
"""
import hashlib
import random
import time
import torch
from torch.utils.data import DataLoader, Dataset


def mapper(record):
    time.sleep(0.003)
    if record["boxes"] == 0:
        return None
    return torch.tensor([record["id"], record["boxes"]])


class MapDataset(Dataset):
    def __init__(self, dataset, map_func):
        self._dataset, self._map_func = dataset, map_func
        self._rng = random.Random(42)
        self._fallback_candidates = set(range(len(dataset)))

    def __len__(self):
        return len(self._dataset)

    def __getitem__(self, index):
        current = int(index)
        while True:
            data = self._map_func(self._dataset[current])
            if data is not None:
                self._fallback_candidates.add(current)
                return data
            self._fallback_candidates.discard(current)
            current = self._rng.sample(sorted(self._fallback_candidates), k=1)[0]


if __name__ == "__main__":
    records = [{"id": i, "boxes": i * 31 % 5} for i in range(440)]
    trained = hashlib.sha256()
    loader = DataLoader(MapDataset(records, mapper), batch_size=2, shuffle=True, num_workers=0, generator=torch.Generator().manual_seed(8))
    for _ in range(2):
        for batch in loader:
            trained.update(batch.numpy().tobytes())
            time.sleep(0.0025)
    print("result:", trained.hexdigest()[:16])
