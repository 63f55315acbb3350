# SPDX-License-Identifier: Apache-2.0
"""timm's create_loader(), whose PrefetchLoader takes a batch ahead. With --multi-epochs its loader never ends an epoch."""
import argparse

import numpy as np
import torch
from PIL import Image
from timm.data import create_loader
from torch import nn


class Photos(torch.utils.data.Dataset):
    """As timm's ImageDataset: a picture of PIL, through the transform that create_loader() sets."""

    transform = None

    def __len__(self) -> int:
        return 2400

    def __getitem__(self, index: int):
        random = np.random.default_rng(index)
        picture = Image.fromarray(random.integers(0, 256, (96, 96, 3), dtype=np.uint8))
        return self.transform(picture), index % 10


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--epochs", type=int, default=2)
    parser.add_argument("--multi-epochs", action="store_true")
    args = parser.parse_args()

    torch.manual_seed(1)
    loader = create_loader(
        Photos(), input_size=(3, 32, 32), batch_size=16, is_training=True, no_aug=True, num_workers=1,
        device=torch.device("cpu"), use_multi_epochs_loader=args.multi_epochs,
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
