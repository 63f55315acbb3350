# SPDX-License-Identifier: Apache-2.0
"""FFCV's loader: threads, code that is compiled at the first batch, reused buffers; channels last, FFCV's default.

Job: data, records, pipeline, batch, workers, seconds.
"""
from __future__ import annotations

import os

from measuring import answer, images_of, rate, read_job

JOB = read_job()
os.environ.setdefault("NUMBA_NUM_THREADS", str(max(JOB["workers"], os.cpu_count() or 1)))  # numba refuses more later

import numpy  # noqa: E402
from ffcv.fields.decoders import RandomResizedCropRGBImageDecoder, SimpleRGBImageDecoder  # noqa: E402
from ffcv.loader import Loader, OrderOption  # noqa: E402
from ffcv.transforms import NormalizeImage, RandomHorizontalFlip, ToTensor, ToTorchImage  # noqa: E402

LONG_EPOCH = 1 << 21  # samples; long, because each epoch starts a thread and allocates buffers


def image_pipeline(name: str) -> list:
    if name == "cifar":
        mean, std = numpy.array([0.4914, 0.4822, 0.4465]), numpy.array([0.2023, 0.1994, 0.2010])
        steps = [SimpleRGBImageDecoder()]
    else:
        mean, std = numpy.array([0.485, 0.456, 0.406]), numpy.array([0.229, 0.224, 0.225])
        steps = [RandomResizedCropRGBImageDecoder((224, 224)), RandomHorizontalFlip()]
    return [*steps, NormalizeImage(255 * mean, 255 * std, numpy.float32), ToTensor(), ToTorchImage()]


def epochs(loader):
    while True:
        yield from loader


def main() -> None:
    every = numpy.arange(JOB["records"], dtype="uint64")
    loader = Loader(
        JOB["data"],
        batch_size=JOB["batch"],
        num_workers=JOB["workers"],
        order=OrderOption.RANDOM,
        indices=numpy.tile(every, -(-LONG_EPOCH // len(every))),
        pipelines={"image": image_pipeline(JOB["pipeline"])},
    )
    answer(value=rate(epochs(loader), JOB, images_of))
    os._exit(0)  # its thread is making the next batch and cannot be stopped


if __name__ == "__main__":
    main()
