# SPDX-License-Identifier: Apache-2.0
"""torchdata's StatefulDataLoader, with a checkpoint within the first epoch from which another loader continues."""
import argparse

import torch
from torch import nn
from torchdata.stateful_dataloader import StatefulDataLoader

from pictures import Pictures


def make_loader(args):
    return StatefulDataLoader(Pictures(2400), batch_size=16, shuffle=True, num_workers=args.num_workers)


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--epochs", type=int, default=2)
    parser.add_argument("--num-workers", type=int, default=1)
    args = parser.parse_args()

    torch.manual_seed(1)
    loader = make_loader(args)
    model = nn.Sequential(nn.Flatten(), nn.Dropout(0.2), nn.Linear(3072, 10))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    checkpoint = None
    for epoch in range(args.epochs):
        total = 0.0
        for step, (pictures, labels) in enumerate(loader):
            loss = nn.functional.cross_entropy(model(pictures), labels)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            total += loss.item()
            if epoch == 0 and step == 99:
                checkpoint = loader.state_dict()
        print(f"epoch {epoch}: loss {total}", flush=True)

    resumed = make_loader(args)
    resumed.load_state_dict(checkpoint)
    with torch.no_grad():
        losses = [nn.functional.cross_entropy(model(pictures), labels).item() for pictures, labels in resumed]
    print(f"resumed, {len(losses)} batches: loss {sum(losses)}")


if __name__ == "__main__":
    main()
