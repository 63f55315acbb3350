# SPDX-License-Identifier: Apache-2.0
"""A loop in PyTorch on two ranks of the CPU, by Hugging Face Accelerate. Start it with

    torchrun --nproc-per-node 2 accelerate_two_ranks.py
    accelerate launch --multi_gpu --num_processes 2 accelerate_two_ranks.py
"""
import argparse

import torch
from accelerate import Accelerator
from accelerate.utils import set_seed
from torch import nn
from torch.utils.data import DataLoader

from pictures import Pictures


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--epochs", type=int, default=4)
    args = parser.parse_args()

    accelerator = Accelerator(cpu=True)
    set_seed(1)
    loader = DataLoader(Pictures(2400), batch_size=16, shuffle=True)
    model = nn.Sequential(
        nn.Conv2d(3, 16, 5), nn.ReLU(), nn.Conv2d(16, 16, 5, stride=2), nn.ReLU(), nn.Flatten(), nn.Dropout(0.2), nn.Linear(2304, 10)
    )
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01, momentum=0.9)
    model, optimizer, loader = accelerator.prepare(model, optimizer, loader)
    for epoch in range(args.epochs):
        total = torch.zeros(())
        for pictures, labels in loader:
            loss = nn.functional.cross_entropy(model(pictures), labels)
            optimizer.zero_grad()
            accelerator.backward(loss)
            optimizer.step()
            total += loss.detach()
        mean = accelerator.reduce(total, reduction="mean").item() / len(loader)
        accelerator.print(f"epoch {epoch}: loss {mean}", flush=True)
    accelerator.end_training()


if __name__ == "__main__":
    main()
