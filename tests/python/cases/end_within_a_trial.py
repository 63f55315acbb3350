# SPDX-License-Identifier: Apache-2.0
"""The script ends while other processes load for it: the loop is left, or an exception of the training ends it.

Expected: no hang, and the exit status of the script.
Run: end_within_a_trial.py
Run: end_within_a_trial.py exception
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
        return index


def train(data):
    trained = 0
    for step, batch in enumerate(DataLoader(data, batch_size=2)):
        time.sleep(0.0025)
        if step < 10:
            trained = hash((trained, *batch.tolist()))
        elif step == 10:
            print("result:", trained, flush=True)
        elif step == 300:
            open(data.mark, "w").close()
        if os.path.exists(data.mark):
            if sys.argv[1:] == ["exception"]:
                raise ValueError("the script ends here")
            return


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        train(Samples(os.path.join(folder, "mark")))
