# SPDX-License-Identifier: Apache-2.0
"""A process of the script fills a multiprocessing.Queue, and the dataset returns the next item, whatever the index. Workers
would take items in another order.

Source: HomebrewNLP/HomebrewNLP src/dataset.py at commit 3ae35bf.
Expected: refused, with the reason naming the queue or the connection.
"""
import hashlib
import multiprocessing
import random
import time
import torch
from torch.utils.data import DataLoader, Dataset


def cut_samples(queue, seed):
    generator, corpus = random.Random(seed), list(range(5000))
    while True:
        start = generator.randrange(4900)
        queue.put(corpus[start:start + 16])


class Queued(Dataset):
    def __init__(self, queue, length):
        self.queue, self.length = queue, length

    def __len__(self):
        return self.length

    def __getitem__(self, index):
        time.sleep(0.0035)
        sample = torch.tensor(self.queue.get(timeout=60))
        return sample[:-1], sample[1:]


if __name__ == "__main__":
    queue, trained = multiprocessing.Queue(8), hashlib.sha256()
    process = multiprocessing.Process(target=cut_samples, args=(queue, 12), daemon=True)
    process.start()
    data = Queued(queue, 860)
    for inputs, targets in DataLoader(data, batch_size=2, num_workers=0):
        trained.update(inputs.numpy().tobytes() + targets.numpy().tobytes())
        time.sleep(0.0025)
    held_out = data[0][0]
    process.terminate()
    process.join()
    print("result:", trained.hexdigest()[:16], "held out:", int(held_out[0]))
