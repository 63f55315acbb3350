# SPDX-License-Identifier: Apache-2.0
"""Two threads train at the same time, each with a loader of its own, as optuna's optimize(n_jobs=2) does.

Source: optuna/optuna#841, optuna/optuna#2693.
Expected: the steps of both loaders are counted, and no traceback is printed.
"""
import threading
import time
import torch
from torch.utils.data import DataLoader, TensorDataset


def train(barrier, number, trained):
    loader = DataLoader(TensorDataset(torch.arange(2000.0) + number), batch_size=8)
    barrier.wait()
    for (batch,) in loader:
        trained[number] = hash((trained[number], *batch.tolist()))
        time.sleep(0.004)


if __name__ == "__main__":
    barrier, trained = threading.Barrier(2), [0, 0]
    threads = [threading.Thread(target=train, args=(barrier, number, trained)) for number in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    print("result:", *trained)
