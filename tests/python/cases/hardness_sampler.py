# SPDX-License-Identifier: Apache-2.0
"""A batch sampler draws each batch by the newest losses, which the training passes to it after each step. A loader that
prefetches would ask before the losses are known.

Source: LucasFidon/HardnessWeightedSampler hardness_weighted_sampler/sampler/weighted_sampler.py.
Expected: refused, with the reason naming weights or random.
"""
import hashlib
import time
import numpy
import torch
from torch.utils.data import DataLoader, Dataset

N, STEPS = 60, 430


class WeightedSampler:
    def __init__(self, num_samples, beta=3.0):
        self.weights = torch.ones(num_samples, dtype=torch.float64)
        self.beta, self.random = beta, numpy.random.RandomState(11)

    def draw_samples(self, n):
        p = torch.softmax(self.beta * self.weights, 0).numpy()
        return self.random.choice(len(p), n, replace=False, p=p / p.sum()).tolist()

    def update_weight(self, index, loss):
        self.weights[index] = loss


class BatchWeightedSampler:
    def __init__(self, sampler, batch_size):
        self.sampler, self.batch_size = sampler, batch_size

    def __len__(self):
        return STEPS

    def __iter__(self):
        for _ in range(STEPS):
            yield self.sampler.draw_samples(self.batch_size)


class Samples(Dataset):
    def __len__(self):
        return N

    def __getitem__(self, index):
        time.sleep(0.0035)
        return index, torch.linspace(0, 1, 8) * (index % 13 - 6), torch.tensor([float(index % 7)])


if __name__ == "__main__":
    torch.manual_seed(0)
    torch.set_num_threads(1)
    model, sampler, trained = torch.nn.Linear(8, 1), WeightedSampler(N), hashlib.sha256()
    loader = DataLoader(Samples(), batch_sampler=BatchWeightedSampler(sampler, 2), num_workers=0)
    for indices, inputs, targets in loader:
        trained.update(indices.numpy().tobytes())
        losses = (model(inputs) - targets).abs().squeeze(1)
        gradients = torch.autograd.grad(losses.mean(), list(model.parameters()))
        with torch.no_grad():
            for parameter, gradient in zip(model.parameters(), gradients):
                parameter -= 1e-3 * gradient
        for index, loss in zip(indices.tolist(), losses.tolist()):
            sampler.update_weight(index, round(loss, 4))
        time.sleep(0.0025)
    print("result:", trained.hexdigest()[:16])
