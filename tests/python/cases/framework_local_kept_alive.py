# SPDX-License-Identifier: Apache-2.0
"""A framework's function deletes a large local variable after it has made a loader.

Expected: the variable is freed at once, as without feedrate.
"""
import sys
import time
import types
from torch.utils.data import DataLoader, Dataset

FIT = """
import torch, weakref

def fit(make, data):
    state = torch.zeros(1 << 20)
    alive = weakref.ref(state)
    loader = make(data, 8)
    del state
    return loader, alive() is not None
"""


class Samples(Dataset):
    def __len__(self):
        return 1600

    def __getitem__(self, index):
        time.sleep(0.001)
        return index


if __name__ == "__main__":
    accelerate = sys.modules["accelerate"] = types.ModuleType("accelerate")
    exec(FIT, vars(accelerate))
    loader, is_alive = accelerate.fit(DataLoader, Samples())
    trained = 0
    for batch in loader:
        trained = hash((trained, *batch.tolist()))
        time.sleep(0.004)
    print("result:", trained, "alive after del:", is_alive)
