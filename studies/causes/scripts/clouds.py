# SPDX-License-Identifier: Apache-2.0
"""Clouds by their kind. The profiler of the last sprint is still around each step."""
import contextlib

import torch
from own_clock import CURED, clock, seconds_of
from torch import nn
from torch.profiler import ProfilerActivity, profile
from torch.utils.data import DataLoader, TensorDataset


def train(model, optimizer, clouds, kinds):
    loss = nn.functional.cross_entropy(model(clouds), kinds)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()


def main():
    torch.manual_seed(168)
    torch.set_num_threads(1)
    clouds = TensorDataset(torch.rand(40_000, 64), torch.randint(0, 10, (40_000,)))
    loader = DataLoader(clouds, batch_size=32, shuffle=True, num_workers=1)
    model = nn.Sequential(nn.Linear(64, 128), nn.ReLU(), nn.Linear(128, 10))
    optimizer = torch.optim.SGD(model.parameters(), 0.01)
    plain = seconds_of(lambda: train(model, optimizer, *clouds[:32]), 60)
    longest = 0.0
    clock.start()
    while not clock.is_over():
        for pictures, kinds in loader:
            clock.batch_arrived()
            watched = contextlib.nullcontext() if CURED else profile(activities=[ProfilerActivity.CPU], record_shapes=True)
            with watched:
                train(model, optimizer, pictures, kinds)
            if not CURED:
                longest = max(longest, watched.key_averages().self_cpu_time_total)
            clock.step_done()
            if clock.is_over():
                break
    clock.report(clock.training_beyond(plain), line="watched = contextlib.nullcontext() if CURED")


if __name__ == "__main__":
    main()
