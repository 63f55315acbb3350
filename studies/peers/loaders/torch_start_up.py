# SPDX-License-Identifier: Apache-2.0
"""Measures the time from the start of an epoch to its first batch in PyTorch; excludes the first epoch.

Job: data, pipeline, batch, workers, persistent, epochs.
"""
from __future__ import annotations

import statistics
import time

from torch.utils.data import DataLoader, RandomSampler
from torchvision.datasets import ImageFolder

import torch_transforms
from measuring import answer, read_job


def main() -> None:
    job = read_job()
    dataset = ImageFolder(job["data"], torch_transforms.of_images(job["pipeline"]))
    loader = DataLoader(
        dataset,
        batch_size=job["batch"],
        sampler=RandomSampler(dataset, num_samples=job["batch"] * job["workers"]),
        num_workers=job["workers"],
        multiprocessing_context="fork",
        persistent_workers=job["persistent"],
    )
    seconds = []
    for _ in range(1 + job["epochs"]):
        begin = time.perf_counter()
        first = None
        for _ in loader:
            first = first or time.perf_counter() - begin
        seconds.append(first)
    answer(value=statistics.median(seconds[1:]))


if __name__ == "__main__":
    main()
