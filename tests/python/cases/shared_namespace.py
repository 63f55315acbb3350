# SPDX-License-Identifier: Apache-2.0
"""The dataset reads the training's step from a Manager's namespace. A worker that loads ahead would read an older step than
that of the batch.

Source: OliBomby/Mapperatorinator osuT5/osuT5/dataset/ors_dataset.py (maybe_change_dataset).
Expected: refused, with the reason naming the connection, the namespace or a flag of the dataset.
"""
import hashlib
import multiprocessing
import time
import torch
from torch.utils.data import DataLoader, Dataset


class Beatmaps(Dataset):
    def __init__(self, shared):
        self.shared = shared
        self.add_empty_sequences = self.add_pre_tokens = False

    def maybe_change_dataset(self):
        step = self.shared.current_train_step
        self.add_empty_sequences = step // 40 % 2 == 1
        self.add_pre_tokens = step >= 100
        return step

    def __len__(self):
        return 860

    def __getitem__(self, index):
        time.sleep(0.0035)
        step = self.maybe_change_dataset()
        sequence = torch.arange(16) * (index + 1)
        if self.add_empty_sequences and index % 3 == 0:
            sequence = torch.zeros_like(sequence)
        if self.add_pre_tokens:
            sequence[:4] = step // 25
        return sequence


def get_shared_training_state(manager):
    shared = manager.Namespace()
    shared.current_train_step, shared.best_loss = 1, float("inf")
    return shared


if __name__ == "__main__":
    trained = hashlib.sha256()
    with multiprocessing.Manager() as manager:
        shared = get_shared_training_state(manager)
        for batch in DataLoader(Beatmaps(shared), batch_size=2, num_workers=0):
            trained.update(batch.numpy().tobytes())
            shared.current_train_step += 1
            time.sleep(0.0025)
    print("result:", trained.hexdigest()[:16])
