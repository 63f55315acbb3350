# SPDX-License-Identifier: Apache-2.0
"""The script ends while other processes load for it: the loop is left, or an exception of the training or of the dataset ends it.

Expected: no hang, and the exit status of the script.
Run: end_within_a_trial.py
Run: end_within_a_trial.py training
Run: end_within_a_trial.py dataset
"""
import os
import sys
import tempfile
import time
from torch.utils.data import DataLoader, Dataset

SCRIPT = os.getpid()


class Samples(Dataset):
    def __init__(self, mark):
        self.mark = mark

    def __len__(self):
        return 800

    def __getitem__(self, index):
        time.sleep(0.003)
        if os.getpid() != SCRIPT:
            open(self.mark, "w").close()
        elif sys.argv[1:] == ["dataset"] and os.path.exists(self.mark):
            raise ValueError("the dataset fails")
        return index


def train(data):
    trained, batches = 0, iter(DataLoader(data, batch_size=2))
    for step, batch in enumerate(batches):
        time.sleep(0.0025)
        if step < 10:
            trained = hash((trained, *batch.tolist()))
        elif step == 10:
            print("result:", trained, flush=True)
        elif step == 300:
            open(data.mark, "w").close()
        if sys.argv[1:] == ["training"] and os.path.exists(data.mark):
            raise ValueError("the training fails")
        if sys.argv[1:] == [] and os.path.exists(data.mark):
            return


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        train(Samples(os.path.join(folder, "mark")))
