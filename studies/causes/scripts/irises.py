# SPDX-License-Identifier: Apache-2.0
"""Flowers by four lengths: a small table, with the loader of a bigger project."""
import torch
from own_clock import CURED, clock, seconds_of
from torch import nn
from torch.utils.data import DataLoader, TensorDataset, default_collate


def main():
    torch.manual_seed(161)
    torch.set_num_threads(1)
    flowers = TensorDataset(torch.rand(400_000, 4), torch.randint(0, 3, (400_000,)))
    loader = DataLoader(flowers, batch_size=16, shuffle=True, num_workers=0 if CURED else 2)
    own = seconds_of(lambda: default_collate([flowers[k] for k in range(16)]), 200)
    model = nn.Linear(4, 3)
    optimizer = torch.optim.SGD(model.parameters(), 0.05)
    clock.start()
    while not clock.is_over():
        for lengths, species in loader:
            clock.batch_arrived()
            loss = nn.functional.cross_entropy(model(lengths), species)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            clock.step_done()
            if clock.is_over():
                break
    clock.report(clock.loading_beyond(own), line="loader = DataLoader(")


if __name__ == "__main__":
    main()
