# SPDX-License-Identifier: Apache-2.0
"""The dataset opens its file at the first sample, so that each of the two workers has a file of its own. If the training
process loaded once, all later workers would inherit its file.

Expected: the same result, tuned or not.
"""
import os
import tempfile
import time
import torch
from torch.utils.data import DataLoader, Dataset

BYTES, SAMPLES = 4096, 800


class Tokens(Dataset):
    def __init__(self, path):
        self.path, self.file = path, None

    def __len__(self):
        return SAMPLES

    def __getitem__(self, index):
        if self.file is None:
            self.file = open(self.path, "rb", buffering=0)
        self.file.seek(index * BYTES)
        head = self.file.read(8)
        time.sleep(0.002)
        return torch.frombuffer(bytearray(head + self.file.read(BYTES - 8)), dtype=torch.int64)


if __name__ == "__main__":
    torch.set_num_threads(1)
    wrong = trained = 0
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "tokens.bin")
        with open(path, "wb") as file:
            for index in range(SAMPLES):
                file.write(torch.full((BYTES // 8,), index).numpy().tobytes())
        loader = DataLoader(Tokens(path), 8, num_workers=2)
        for _ in range(4):
            for step, batch in enumerate(loader):
                wrong += int((batch != torch.arange(step * 8, step * 8 + 8).unsqueeze(1)).any(1).sum())
                trained = hash((trained, *batch[:, -1].tolist()))
                time.sleep(0.002)
    print("result:", trained, "wrong samples:", wrong)
