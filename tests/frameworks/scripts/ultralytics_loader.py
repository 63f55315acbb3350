# SPDX-License-Identifier: Apache-2.0
"""The loader of ultralytics: one iterator for all epochs, begun when the loader is made."""
import argparse

import torch
from torch import nn
from ultralytics.data.build import InfiniteDataLoader, seed_worker

from pictures import Pictures


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--epochs", type=int, default=2)
    args = parser.parse_args()

    torch.manual_seed(1)
    loader = InfiniteDataLoader(
        dataset=Pictures(2400), batch_size=16, shuffle=True, num_workers=1, prefetch_factor=4, worker_init_fn=seed_worker,
        generator=torch.Generator().manual_seed(6148914691236517204),
    )  # fmt: skip
    model = nn.Sequential(nn.Conv2d(3, 16, 5), nn.ReLU(), nn.Flatten(), nn.Dropout(0.2), nn.Linear(12544, 10))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    for epoch in range(args.epochs):
        total = 0.0
        for pictures, labels in loader:
            loss = nn.functional.cross_entropy(model(pictures), labels)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            total += loss.item()
        print(f"epoch {epoch}: loss {total}", flush=True)


if __name__ == "__main__":
    main()
