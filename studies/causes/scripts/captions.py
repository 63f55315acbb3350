# SPDX-License-Identifier: Apache-2.0
"""Captions of pictures. Every step compares the model's words with the reference, for the progress bar."""
import time

import torch
from own_clock import CURED, clock
from torch.utils.data import DataLoader, TensorDataset


def distance(ours, theirs):
    row = list(range(len(theirs) + 1))
    for k, word in enumerate(ours, 1):
        before, row[0] = row[0], k
        for j, other in enumerate(theirs, 1):
            before, row[j] = row[j], min(row[j] + 1, row[j - 1] + 1, before + (word != other))
    return row[-1]


def main():
    torch.manual_seed(133)
    captions = TensorDataset(torch.rand(20_000, 128), torch.randint(0, 400, (20_000, 24)))
    loader = DataLoader(captions, batch_size=96, shuffle=True, num_workers=1)
    errors, step = [], 0
    clock.start()
    while not clock.is_over():
        for pictures, references in loader:
            clock.batch_arrived()
            step += 1
            time.sleep(0.008)  # the accelerator trains
            predicted = (references + torch.randint(0, 2, references.shape)).tolist()
            if not CURED or step % 50 == 0:
                with clock.cause:
                    errors.append(sum(distance(ours, theirs) for ours, theirs in zip(predicted, references.tolist())))
            clock.step_done()
            if clock.is_over():
                break
    clock.report(clock.in_training_thread(), line="before, row[j] = row[j], min(")


if __name__ == "__main__":
    main()
