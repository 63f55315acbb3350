# SPDX-License-Identifier: Apache-2.0
"""PyTorch with tar shards, by webdataset: shards in random order, a shuffle buffer of 1,000 samples, Pillow.

Job: data (a folder of shards), pipeline, batch, workers, seconds.
"""
from __future__ import annotations

import glob
import os

import webdataset
from torch.utils.data import DataLoader

import torch_transforms
from measuring import answer, images_of, rate, read_job


def identity(label):
    return label


def main() -> None:
    job = read_job()
    dataset = (
        webdataset.WebDataset(sorted(glob.glob(os.path.join(job["data"], "*.tar"))), resampled=True)
        .shuffle(1000)
        .decode("pilrgb")
        .to_tuple("jpg;png", "cls")
        .map_tuple(torch_transforms.of_images(job["pipeline"]), identity)
        .batched(job["batch"])
    )
    loader = DataLoader(dataset, batch_size=None, num_workers=job["workers"], multiprocessing_context="fork" if job["workers"] else None)
    answer(value=rate(iter(loader), job, images_of))


if __name__ == "__main__":
    main()
