# SPDX-License-Identifier: Apache-2.0
"""The pseudo label of a sample is in a tensor of the dataset, which each step of the training updates. Workers would return
the labels of the moment of the fork.

Source: open-mmlab/OpenSelfSup openselfsup/models/memories/odc_memory.py, openselfsup/datasets/deepcluster.py.
Expected: refused, with the reason naming labels.
"""
import hashlib
import time
import torch
from torch.utils.data import DataLoader, Dataset, RandomSampler

N, CLASSES = 80, 5


class ClusterDataset(Dataset):
    def __init__(self):
        self.labels = [-1] * N

    def assign_labels(self, labels):
        self.labels = labels

    def __len__(self):
        return N

    def __getitem__(self, index):
        time.sleep(0.0035)
        return torch.cos(torch.arange(6, dtype=torch.float64) * (index + 1)), self.labels[index], index


class ODCMemory:
    def __init__(self, momentum=0.5):
        generator = torch.Generator().manual_seed(4)
        self.feature_bank = torch.randn(N, 6, generator=generator, dtype=torch.float64)
        self.centroids = torch.randn(CLASSES, 6, generator=generator, dtype=torch.float64)
        self.label_bank, self.momentum = torch.zeros(N, dtype=torch.long), momentum

    def update_samples_memory(self, ind, feature):
        self.feature_bank[ind] = (1 - self.momentum) * self.feature_bank[ind] + self.momentum * feature
        new = (self.feature_bank[ind] @ self.centroids.T).argmax(1)
        self.centroids[new] = 0.9 * self.centroids[new] + 0.1 * self.feature_bank[ind]
        self.label_bank[ind] = new


if __name__ == "__main__":
    torch.set_num_threads(1)
    data, memory, trained = ClusterDataset(), ODCMemory(), hashlib.sha256()
    data.assign_labels(memory.label_bank)
    sampler = RandomSampler(data, replacement=True, num_samples=860, generator=torch.Generator().manual_seed(6))
    for pictures, labels, indices in DataLoader(data, batch_size=2, sampler=sampler, num_workers=0):
        trained.update(pictures.numpy().tobytes() + labels.numpy().tobytes() + indices.numpy().tobytes())
        memory.update_samples_memory(indices, pictures * (1 + labels.unsqueeze(1)))
        time.sleep(0.0025)
    print("result:", trained.hexdigest()[:16])
