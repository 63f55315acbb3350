# SPDX-License-Identifier: Apache-2.0
"""A batch sampler takes the hardest samples from a heap, into which the training puts the losses of each step. It draws no
random numbers.

Source: pytorch/pytorch#7359, pytorch/pytorch#3356.
Expected: refused, with the reason naming heap.
"""
import heapq
import time
from torch.utils.data import DataLoader, Dataset


class Hardest:
    def __init__(self):
        self.heap = [(-1e9 + i, i) for i in range(400)]

    def __len__(self):
        return 300

    def __iter__(self):
        for _ in range(300):
            yield [heapq.heappop(self.heap)[1] for _ in range(8)]

    def tell(self, index, loss):
        heapq.heappush(self.heap, (-loss, index))


class Samples(Dataset):
    def __getitem__(self, index):
        time.sleep(0.001)
        return index


if __name__ == "__main__":
    sampler, order = Hardest(), []
    for step, batch in enumerate(DataLoader(Samples(), batch_sampler=sampler)):
        order += batch.tolist()
        for index in batch.tolist():
            sampler.tell(index, (index * 7919 + step * 31) % 1009)
        time.sleep(0.004)
    print("result:", hash(tuple(order)))
