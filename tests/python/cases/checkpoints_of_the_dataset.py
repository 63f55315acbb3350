# SPDX-License-Identifier: Apache-2.0
"""Each hundred steps a checkpoint pickles dataset, samplers and loader. Python keeps a list of slots in their classes from then on.

Expected: tuned.
"""
import hashlib
import pickle
import time
from torch.utils.data import DataLoader, Dataset


class Samples(Dataset):
    def __init__(self):
        self.scales = [1, 2, 3]

    def __len__(self):
        return 600

    def __getitem__(self, index):
        time.sleep(0.003)
        return index


if __name__ == "__main__":
    data = Samples()
    trained, loader = hashlib.sha256(), DataLoader(data, batch_size=2)
    for step, batch in enumerate(loader):
        trained.update(repr(batch).encode())
        if step % 100 == 50:
            trained.update(pickle.dumps((data, loader.sampler, loader.batch_sampler)))
            pickle.loads(pickle.dumps(loader))
        time.sleep(0.0025)
    print("result:", trained.hexdigest()[:16])
