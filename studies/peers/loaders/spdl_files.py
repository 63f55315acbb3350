# SPDX-License-Identifier: Apache-2.0
"""SPDL as in its documentation: FFmpeg decodes, crops, scales and flips in threads; the rest is done on the whole batch. Channels
last, as FFmpeg yields them.

Job: data, workers, batch, seconds; the pipeline is imagenet.
"""
from __future__ import annotations

import math
import os
import random

import spdl.io
import torch
from spdl.pipeline import PipelineBuilder
from torchvision.datasets import ImageFolder

from measuring import answer, images_of, rate, read_job
from spdl_torchvision import shuffled

MEAN = torch.tensor([0.485, 0.456, 0.406]).view(3, 1, 1) * 255
STD = torch.tensor([0.229, 0.224, 0.225]).view(3, 1, 1) * 255


def random_crop(width: int, height: int) -> str:
    """FFmpeg's crop filter with the random draws of torchvision's RandomResizedCrop."""
    for _ in range(10):
        area = width * height * random.uniform(0.08, 1)
        ratio = math.exp(random.uniform(math.log(3 / 4), math.log(4 / 3)))
        w, h = round(math.sqrt(area * ratio)), round(math.sqrt(area / ratio))
        if 0 < w <= width and 0 < h <= height:
            return f"crop={w}:{h}:{random.randint(0, width - w)}:{random.randint(0, height - h)}"
    return f"crop={min(width, round(height * 4 / 3))}:{min(height, round(width * 4 / 3))}"  # fallback: the central crop


def decode(file):
    path, label = file
    packets = spdl.io.demux_image(path)
    flip = ",hflip" if random.random() < 0.5 else ""
    steps = f"{random_crop(packets.width, packets.height)},scale=224:224:flags=bilinear,format=pix_fmts=rgb24{flip}"
    return spdl.io.decode_packets(packets, filter_desc=steps), label


def make_batch(samples):
    frames, labels = zip(*samples)
    pixels = spdl.io.to_torch(spdl.io.convert_frames(frames)).permute(0, 3, 1, 2)
    return pixels.float().sub_(MEAN).div_(STD), torch.tensor(labels)


def main() -> None:
    job = read_job()
    torch.set_num_threads(1)
    pipeline = (
        PipelineBuilder()
        .add_source(shuffled(ImageFolder(job["data"]).samples))
        .pipe(decode, concurrency=job["workers"])
        .aggregate(job["batch"])
        .pipe(make_batch)
        .add_sink(3)
        .build(num_threads=job["workers"])
    )
    with pipeline.auto_stop():
        answer(value=rate(iter(pipeline), job, images_of))
        os._exit(0)  # the source never ends


if __name__ == "__main__":
    main()
