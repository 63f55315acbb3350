# SPDX-License-Identifier: Apache-2.0
"""The script keeps the labels of an epoch, then validates by a loader with workers. With trial workers each kept label would
hold a file descriptor.

Source: pytorch/pytorch#11201, pytorch/pytorch#41465, pytorch/pytorch#973.
Expected: the same result, without an exception for want of descriptors.
Run: ulimit -n 1024; kept_labels_then_validation.py
"""
import time
import torch
from torch.utils.data import DataLoader, Dataset


class Samples(Dataset):
    def __init__(self, size):
        self.size = size

    def __len__(self):
        return self.size

    def __getitem__(self, index):
        time.sleep(0.0004)
        return torch.zeros(16), index % 10


if __name__ == "__main__":
    labels = []
    for _, y in DataLoader(Samples(8 * 1100), batch_size=8):
        labels.append(y)
        time.sleep(0.001)
    right = [y for x, y in DataLoader(Samples(160), batch_size=8, num_workers=2)]
    print("result:", hash(tuple(torch.cat(labels).tolist())), hash(tuple(torch.cat(right).tolist())))
