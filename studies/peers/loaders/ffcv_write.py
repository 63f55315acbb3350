# SPDX-License-Identifier: Apache-2.0
"""Writes a folder of images as FFCV's file: JPEG of quality 90, encoded again by FFCV, or pixels.

Arguments: the folder, the new file, jpg or raw.
"""
from __future__ import annotations

import os
import sys

from ffcv.fields import IntField, RGBImageField
from ffcv.writer import DatasetWriter
from torchvision.datasets import ImageFolder


def main() -> None:
    folder, path, mode = sys.argv[1:]
    unfinished = path + ".unfinished"
    writer = DatasetWriter(unfinished, {"image": RGBImageField(write_mode=mode, jpeg_quality=90), "label": IntField()})
    writer.from_indexed_dataset(ImageFolder(folder))
    os.rename(unfinished, path)


if __name__ == "__main__":
    main()
