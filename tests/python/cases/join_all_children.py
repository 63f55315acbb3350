# SPDX-License-Identifier: Apache-2.0
"""The loop writes checkpoints in a child process, and waits before that for all of its children: by active_children(), or by
os.wait() until there is none.

Expected: no hang, and the same result; the script never sees other children.
Run: join_all_children.py
Run: join_all_children.py wait
"""
import multiprocessing
import os
import sys
import time
from torch.utils.data import DataLoader, Dataset


class Samples(Dataset):
    def __len__(self):
        return 2400

    def __getitem__(self, index):
        time.sleep(0.001)
        return index


def wait_for_all():
    waited = 0
    if sys.argv[1:] == ["wait"]:
        try:
            while True:
                os.wait()
                waited += 1
        except ChildProcessError:
            return waited
    for child in multiprocessing.active_children():
        child.join()
    return waited


if __name__ == "__main__":
    trained = waited = 0
    for step, batch in enumerate(DataLoader(Samples(), batch_size=8)):
        trained = hash((trained, *batch.tolist()))
        time.sleep(0.004)
        if step % 50 == 20:
            waited += wait_for_all()
            multiprocessing.Process(target=time.sleep, args=(0.2,)).start()
    print("result:", trained, "waited for:", waited)
