# SPDX-License-Identifier: Apache-2.0
"""A loop in plain PyTorch."""
import argparse

import torch
from torch import nn
from torch.utils.data import DataLoader

from pictures import Pictures


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--epochs", type=int, default=4)
    parser.add_argument("--num-workers", type=int, default=0)
    args = parser.parse_args()

    torch.manual_seed(1)
    loader = DataLoader(Pictures(2400), batch_size=16, shuffle=True, num_workers=args.num_workers)
    model = nn.Sequential(
        nn.Conv2d(3, 16, 5), nn.ReLU(), nn.Conv2d(16, 16, 5, stride=2), nn.ReLU(), nn.Flatten(), nn.Dropout(0.2), nn.Linear(2304, 10)
    )
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01, momentum=0.9)
    for epoch in range(args.epochs):
        total = 0.0
        for pictures, labels in loader:
            loss = nn.functional.cross_entropy(model(pictures), labels)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            total += loss.item()
        print(f"epoch {epoch}: loss {total / len(loader)}", flush=True)


if __name__ == "__main__":
    main()
