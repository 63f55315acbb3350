# SPDX-License-Identifier: Apache-2.0
"""Turns records into samples as torchvision's ImageFolder does: Pillow decodes, transforms.Compose transforms."""
from __future__ import annotations

import multiprocessing.util
import sys
import warnings
from typing import Any, Optional

import torch

from .failures import Mistake
from .loading import Workload
from .records import Source, open_source


class ImageRecords(torch.utils.data.Dataset):
    """`damaged`: "fail" raises for an image that cannot be read, "zeros" replaces it."""

    def __init__(self, source: Source, transform: Any, damaged: str) -> None:
        from PIL import Image

        self._source = source
        self._transform = transform
        self._damaged = damaged
        self._image = Image
        self._last: Optional[torch.Tensor] = None
        self._replaced = 0
        self._first_replaced = ""

    def __len__(self) -> int:
        return len(self._source)

    def __getitem__(self, index: int) -> tuple[Any, int]:
        data, label = self._source.read(index)
        try:
            sample = self._transform(self._decode(data))
        except Exception as error:
            if self._damaged != "zeros":
                if isinstance(error, OSError):  # Pillow's message lacks the file's name
                    raise type(error)(f"{self._source.name(index)}: {error}") from None
                raise
            self._count_replaced(f"{self._source.name(index)}: {error}")
            return self._zeros(), -1
        if self._damaged == "zeros":
            self._last = sample
        return sample, label

    def warn_of_replaced(self) -> None:
        if self._replaced:
            warnings.warn(f"{self._replaced} damaged images were replaced by zeros, the first of them {self._first_replaced}", stacklevel=2)
        self._replaced = 0

    def _count_replaced(self, what: str) -> None:
        if self._replaced == 0:
            self._first_replaced = what
            if torch.utils.data.get_worker_info() is not None:  # each worker warns of its own images when it ends
                multiprocessing.util.Finalize(None, self.warn_of_replaced, exitpriority=0)
        self._replaced += 1

    def _decode(self, data: Any) -> Any:
        if not hasattr(data, "read"):
            pixels = data.squeeze(-1) if data.ndim == 3 and data.shape[-1] == 1 else data
            return self._image.fromarray(pixels).convert("RGB")
        with data:
            return self._image.open(data).convert("RGB")

    def _zeros(self) -> torch.Tensor:
        if self._last is None:
            self._last = self._transform(self._image.new("RGB", (64, 64)))
        return torch.zeros_like(self._last)

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_image": None, "_last": None}

    def __setstate__(self, state: dict[str, Any]) -> None:
        from PIL import Image

        self.__dict__.update(state)
        self._image = Image


def open_images(job: dict[str, Any]) -> Workload:
    transform = _compose(job)
    source = open_source(job["path"], job["format"])
    dataset = ImageRecords(source, transform, "zeros" if job["skip_damaged"] else "fail")
    return Workload(dataset, at_end=dataset.warn_of_replaced)


def _compose(job: dict[str, Any]) -> Any:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            from torchvision import transforms
    except ImportError as error:
        raise Mistake(
            f"pipeline: the PyTorch engine decodes with Pillow and torchvision: {error}; {sys.executable} -m pip install torchvision"
        ) from None
    make = {
        "random_resized_crop": lambda options: transforms.RandomResizedCrop(
            tuple(options["size"]), tuple(options["scale"]), tuple(options["ratio"])
        ),
        "resize": lambda options: transforms.Resize(options["size"]),
        "center_crop": lambda options: transforms.CenterCrop(options["size"]),
        "horizontal_flip": lambda options: transforms.RandomHorizontalFlip(options["p"]),
    }
    steps = [make[step["name"]](step) for step in job["transforms"]]
    steps.append(transforms.ToTensor() if job["to_tensor"] else transforms.PILToTensor())
    if job["normalize"]:
        steps.append(transforms.Normalize(job["normalize"]["mean"], job["normalize"]["std"]))
    return transforms.Compose(steps)
