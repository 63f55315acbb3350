# SPDX-License-Identifier: Apache-2.0
"""Grades of essays, with gradients of eight batches for each step of the optimizer."""
import torch
from own_clock import clock
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

PARTS = 8


def main():
    torch.manual_seed(177)
    torch.set_num_threads(1)
    essays = TensorDataset(torch.randint(0, 5_000, (6_000, 256)), torch.rand(6_000))
    loader = DataLoader(essays, batch_size=8, shuffle=True, num_workers=1, persistent_workers=True)
    embed = nn.Embedding(5_000, 96)
    reader = nn.GRU(96, 96, batch_first=True)
    grade = nn.Linear(96, 1)
    optimizer = torch.optim.AdamW([*embed.parameters(), *reader.parameters(), *grade.parameters()])
    part = 0
    clock.start()
    while not clock.is_over():
        for words, wanted in loader:
            clock.batch_arrived()
            loss = (grade(reader(embed(words))[0][:, -1])[:, 0] - wanted).square().mean() / PARTS
            loss.backward()
            part += 1
            if part % PARTS == 0:
                optimizer.step()
                optimizer.zero_grad()
            clock.step_done()
            if clock.is_over():
                break
    clock.report(None)


if __name__ == "__main__":
    main()
