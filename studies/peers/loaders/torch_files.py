# SPDX-License-Identifier: Apache-2.0
"""PyTorch with a folder of images: ImageFolder and DataLoader; decoded by Pillow or by torchvision.

Job: data, pipeline, decoder (pillow, torchvision), batch, workers, seconds.
"""
from __future__ import annotations

from torch.utils.data import DataLoader, RandomSampler
from torchvision.datasets import ImageFolder
from torchvision.io import ImageReadMode, read_image

import torch_transforms
from measuring import ENDLESS, answer, images_of, rate, read_job


def decode(path: str):
    return read_image(path, ImageReadMode.RGB)


def main() -> None:
    job = read_job()
    if job["decoder"] == "pillow":
        dataset = ImageFolder(job["data"], torch_transforms.of_images(job["pipeline"]))
    else:
        dataset = ImageFolder(job["data"], torch_transforms.of_tensors(job["pipeline"]), loader=decode)
    loader = DataLoader(
        dataset, batch_size=job["batch"], sampler=RandomSampler(dataset, num_samples=ENDLESS), num_workers=job["workers"], multiprocessing_context="fork" if job["workers"] else None
    )
    answer(value=rate(iter(loader), job, images_of))


if __name__ == "__main__":
    main()
