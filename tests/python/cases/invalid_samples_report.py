# SPDX-License-Identifier: Apache-2.0
"""The dataset notes the indices of bad files in a list; the training reports it and leaves these files out of the next
epoch. With workers the list of the training would stay empty.

Source: kitzeslab/opensoundscape opensoundscape/ml/safe_dataset.py, msamogh/nonechucks nonechucks/dataset.py.
Expected: refused, with the reason naming _valid_indices or _invalid_indices.
"""
import hashlib
import time
import torch
from torch.utils.data import DataLoader, Dataset, Sampler, default_collate


class Clips(Dataset):
    def __len__(self):
        return 320

    def __getitem__(self, index):
        time.sleep(0.0035)
        if index * 37 % 19 == 3:
            raise OSError(f"clip {index} is cut off")
        return torch.arange(8) * index


class SafeDataset(Dataset):
    def __init__(self, dataset):
        self.dataset, self._valid_indices, self._invalid_indices = dataset, [], []

    def __len__(self):
        return len(self.dataset)

    def __getitem__(self, index):
        try:
            sample = self.dataset[index]
        except OSError:
            if index not in self._invalid_indices:
                self._invalid_indices.append(index)
            return None
        if index not in self._valid_indices:
            self._valid_indices.append(index)
        return sample

    def report(self):
        print(f"There were {len(self._invalid_indices)} sample(s) that raised errors and were skipped.")
        return list(self._invalid_indices)


class Usable(Sampler):
    def __init__(self, data):
        self.data, self.left_out = data, set()

    def __iter__(self):
        return iter([i for i in range(len(self.data)) if i not in self.left_out])

    def __len__(self):
        return len(self.data) - len(self.left_out)


def collate(batch):
    batch = [sample for sample in batch if sample is not None]
    return default_collate(batch) if batch else torch.empty(0, 8, dtype=torch.long)


if __name__ == "__main__":
    data, trained = SafeDataset(Clips()), hashlib.sha256()
    sampler = Usable(data)
    loader = DataLoader(data, batch_size=2, sampler=sampler, num_workers=0, collate_fn=collate)
    for _ in range(3):
        for batch in loader:
            trained.update(repr(batch.tolist()).encode())
            time.sleep(0.0025)
        sampler.left_out.update(data.report())
    print("result:", trained.hexdigest()[:16], "invalid:", len(sampler.left_out), sum(sampler.left_out))
