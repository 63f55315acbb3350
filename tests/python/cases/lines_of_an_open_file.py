# SPDX-License-Identifier: Apache-2.0
"""The dataset reads the next lines of two open files, without a seek. Forked workers would share the offset of each file but
not the text that was read ahead.

Source: codertimo/BERT-pytorch bert_pytorch/dataset/dataset.py (self.file, self.random_file).
Expected: refused, with the reason naming corpus.txt.
"""
import hashlib
import os
import tempfile
import time
import torch
from torch.utils.data import DataLoader, Dataset


class Sentences(Dataset):
    def __init__(self, path, lines):
        self.path, self.lines = path, lines
        self.file, self.random_file = open(path), open(path)
        for _ in range(100):
            next(self.random_file)

    def __len__(self):
        return self.lines

    def line_of(self, name):
        line = next(getattr(self, name), None)
        if line is None:
            getattr(self, name).close()
            setattr(self, name, open(self.path))
            line = next(getattr(self, name))
        return [int(word) for word in line.split()]

    def __getitem__(self, index):
        time.sleep(0.0035)
        return torch.tensor(self.line_of("file") + self.line_of("random_file"))


if __name__ == "__main__":
    trained = hashlib.sha256()
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "corpus.txt")
        with open(path, "w") as corpus:
            for line in range(700):
                corpus.write(" ".join(str(line * 1000 + word) for word in range(12)) + "\n")
        for batch in DataLoader(Sentences(path, 860), batch_size=2, num_workers=0):
            trained.update(batch.numpy().tobytes())
            time.sleep(0.0025)
    print("result:", trained.hexdigest()[:16])
