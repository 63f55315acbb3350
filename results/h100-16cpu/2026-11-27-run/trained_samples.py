"""Holds the checksums that train.py logged on the GPU to PyTorch's own order of the same seed, with nothing trained.

    python3 trained_samples.py data/imagenet tuned.pt

Exits with 1 if a step trained other samples, other pixels, or another order.
"""
import sys

import torch
import torchvision
from torch.utils.data import DataLoader, Dataset
from torchvision import transforms

folder, log = sys.argv[1:3]
trained = torch.load(log)
images = torchvision.datasets.ImageFolder(folder, transforms.Compose([
    transforms.Resize(256), transforms.CenterCrop(224), transforms.ToTensor(),
    transforms.Normalize([0.485, 0.456, 0.406], [0.229, 0.224, 0.225])]))


class Sums(Dataset):
    def __len__(self):
        return len(images)

    def __getitem__(self, index):
        image, label = images[index]
        return image.view(torch.int32).sum(dtype=torch.int64) * 1009 + label


sums = torch.cat(list(DataLoader(Sums(), batch_size=64, num_workers=2)))
torch.manual_seed(0)
loader = DataLoader(range(len(images)), batch_size=64, shuffle=True, num_workers=1, drop_last=True)
torchvision.models.resnet50()  # draws from the same generator
orders = (indices for _ in range(len(trained)) for indices in loader)
wrong = sum(not torch.equal(sums[indices], step) for indices, step in zip(orders, trained))
print(f"{len(trained)} steps of {trained.shape[1]} samples: {wrong} differ; {sums.unique().numel()} of {len(sums)} checksums are different")
sys.exit(wrong > 0)
