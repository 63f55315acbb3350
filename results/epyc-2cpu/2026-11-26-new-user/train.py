# SPDX-License-Identifier: Apache-2.0
"""Fine-tunes a small head on pictures of a folder."""
import argparse
import pathlib
import time

import torch
from PIL import Image
from torch import nn
from torch.utils.data import DataLoader, Dataset
from torchvision import transforms


class Photos(Dataset):
    def __init__(self, root):
        self.files = sorted(pathlib.Path(root).glob("*.jpg"))
        self.transform = transforms.Compose([
            transforms.RandomResizedCrop(160), transforms.RandomHorizontalFlip(), transforms.ToTensor()])

    def __len__(self):
        return len(self.files)

    def __getitem__(self, index):
        return self.transform(Image.open(self.files[index]).convert("RGB")), index % 10


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--data", default="photos")
    parser.add_argument("--epochs", type=int, default=6)
    options = parser.parse_args()
    torch.manual_seed(0)
    torch.set_num_threads(1)
    loader = DataLoader(Photos(options.data), batch_size=16, shuffle=True)
    model = nn.Sequential(nn.AdaptiveAvgPool2d(8), nn.Flatten(), nn.Linear(192, 10))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    for epoch in range(options.epochs):
        for images, labels in loader:
            loss = nn.functional.cross_entropy(model(images), labels)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            time.sleep(0.03)  # stands in for the rest of the network on a GPU
        print(f"epoch {epoch}: loss {loss.item():.3f}", flush=True)


if __name__ == "__main__":
    main()
