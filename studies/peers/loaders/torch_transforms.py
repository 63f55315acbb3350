# SPDX-License-Identifier: Apache-2.0
"""The two pipelines, made of torchvision's transforms."""
from __future__ import annotations

from typing import Any

import torch
from torchvision import transforms

try:  # torchvision's advice for tensors: v2 resizes bytes, v1 casts them to floats first
    from torchvision.transforms import v2

    TO_FLOAT, OF_TENSORS = v2.ToDtype(torch.float32, scale=True), "transforms.v2"
except (ImportError, TypeError):  # before torchvision 0.16
    v2, TO_FLOAT, OF_TENSORS = transforms, transforms.ConvertImageDtype(torch.float32), "transforms"

IMAGENET = transforms.Normalize(mean=[0.485, 0.456, 0.406], std=[0.229, 0.224, 0.225])
CIFAR = transforms.Normalize(mean=[0.4914, 0.4822, 0.4465], std=[0.2023, 0.1994, 0.2010])


def of_images(pipeline: str) -> Any:
    """Transforms of a Pillow image or an array of H×W×C bytes."""
    if pipeline == "cifar":
        return transforms.Compose([transforms.ToTensor(), CIFAR])
    return transforms.Compose(
        [transforms.RandomResizedCrop(224), transforms.RandomHorizontalFlip(), transforms.ToTensor(), IMAGENET]
    )


def of_tensors(pipeline: str) -> Any:
    """Transforms of a tensor of C×H×W bytes, which torchvision's decoder yields."""
    if pipeline == "cifar":
        return v2.Compose([TO_FLOAT, v2.Normalize(CIFAR.mean, CIFAR.std)])
    return v2.Compose(
        [v2.RandomResizedCrop(224, antialias=True), v2.RandomHorizontalFlip(), TO_FLOAT, v2.Normalize(IMAGENET.mean, IMAGENET.std)]
    )
