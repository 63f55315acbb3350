# SPDX-License-Identifier: Apache-2.0
"""The script validates for some batches after every fifty steps, with a separate loader.

Expected: the cost of trials stays within the bound that is printed; the validation is part of no trial.
"""
import time
import torch
from torch.utils.data import DataLoader, Dataset


class Waiting(Dataset):
    def __init__(self, seconds):
        self.seconds = seconds

    def __len__(self):
        return 8 * 400

    def __getitem__(self, index):
        time.sleep(self.seconds)
        return torch.tensor(index)


if __name__ == "__main__":
    torch.manual_seed(1)
    training, validation, trained = DataLoader(Waiting(0.001), batch_size=8, shuffle=True), DataLoader(Waiting(0.001), batch_size=8), 0
    for step, batch in enumerate(training):
        trained = hash((trained, *batch.tolist()))
        time.sleep(0.003)
        if step % 50 == 49:
            for number, checked in enumerate(validation):
                trained = hash((trained, *checked.tolist()))
                time.sleep(0.001)
                if number > 15:
                    break
    print("result:", trained)
