# SPDX-License-Identifier: Apache-2.0
"""SPDL: a pipeline of threads that decode and transform with torchvision.

Job: data, pipeline, batch, workers, seconds.
"""
from __future__ import annotations

import os
import random

import torch
from spdl.pipeline import PipelineBuilder
from torchvision.datasets import ImageFolder
from torchvision.io import ImageReadMode, read_image

import torch_transforms
from measuring import answer, images_of, rate, read_job


def shuffled(samples):
    while True:
        yield from random.sample(samples, len(samples))


def collate(samples):
    images, labels = zip(*samples)
    return torch.stack(images), torch.tensor(labels)


def main() -> None:
    job = read_job()
    torch.set_num_threads(1)
    transform = torch_transforms.of_tensors(job["pipeline"])

    def make_sample(file):
        path, label = file
        return transform(read_image(path, ImageReadMode.RGB)), label

    pipeline = (
        PipelineBuilder()
        .add_source(shuffled(ImageFolder(job["data"]).samples))
        .pipe(make_sample, concurrency=job["workers"])
        .aggregate(job["batch"])
        .pipe(collate)
        .add_sink(3)
        .build(num_threads=job["workers"])
    )
    with pipeline.auto_stop():
        answer(value=rate((batch for batch in pipeline), job, images_of))
        os._exit(0)  # the source never ends


if __name__ == "__main__":
    main()
