"""The two pipelines, in torchvision's own words."""
from __future__ import annotations

from typing import Any

import torch
from torchvision import transforms

IMAGENET = transforms.Normalize(mean=[0.485, 0.456, 0.406], std=[0.229, 0.224, 0.225])
CIFAR = transforms.Normalize(mean=[0.4914, 0.4822, 0.4465], std=[0.2023, 0.1994, 0.2010])


def of_images(pipeline: str) -> Any:
    """From a Pillow image or an array of H×W×C bytes."""
    if pipeline == "cifar":
        return transforms.Compose([transforms.ToTensor(), CIFAR])
    return transforms.Compose(
        [transforms.RandomResizedCrop(224), transforms.RandomHorizontalFlip(), transforms.ToTensor(), IMAGENET]
    )


def of_tensors(pipeline: str) -> Any:
    """From a tensor of C×H×W bytes, which torchvision's own decoder yields."""
    to_float = transforms.ConvertImageDtype(torch.float32)
    if pipeline == "cifar":
        return transforms.Compose([to_float, CIFAR])
    return transforms.Compose(
        [transforms.RandomResizedCrop(224, antialias=True), transforms.RandomHorizontalFlip(), to_float, IMAGENET]
    )
