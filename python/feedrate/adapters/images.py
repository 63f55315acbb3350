# SPDX-License-Identifier: Apache-2.0
"""Turns encoded images into samples. All adapters share this code, so that a comparison of them measures storage alone."""
from __future__ import annotations

import io
import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, NamedTuple, Optional, Protocol, Union

import torch
from torch.utils.data import Dataset, IterableDataset

from ..own_modules import named

Transform = Union[None, str, Callable[[Any], Any]]  # a str is MODULE:FUNCTION, for YAML files


class Encoded(NamedTuple):
    data: bytes
    label: int


class Store(Protocol):
    """Records by index. An implementation opens its files in the process that reads them."""

    def __len__(self) -> int: ...

    def read(self, indices: Sequence[int]) -> list[Encoded]: ...


class ImagesByIndex(Dataset):
    """Map-style dataset. It reads a whole batch from the store in one call where torch calls __getitems__ (2.0 and later)."""

    def __init__(self, store: Store, transform: Transform = None) -> None:
        self.store = store
        self._sample = _Sample(transform)

    def __len__(self) -> int:
        return len(self.store)

    def __getitem__(self, index: int) -> tuple[Any, int]:
        return self._sample(self.store.read([index])[0])

    def __getitems__(self, indices: Sequence[int]) -> list[tuple[Any, int]]:
        return [self._sample(encoded) for encoded in self.store.read(indices)]


class ImagesInOrder(IterableDataset):
    """Iterable dataset. The stream decides the order and gives each worker its share."""

    def __init__(self, stream: Iterable[Encoded], transform: Transform = None) -> None:
        self.stream = stream
        self._sample = _Sample(transform)

    def __iter__(self) -> Iterator[tuple[Any, int]]:
        return map(self._sample, self.stream)


class _Sample:
    def __init__(self, transform: Transform) -> None:
        self._transform: Optional[Callable[[Any], Any]] = named(transform, "transform") if isinstance(transform, str) else transform

    def __call__(self, encoded: Encoded) -> tuple[Any, int]:
        image = decode(encoded.data)
        return (pixels(image) if self._transform is None else self._transform(image)), encoded.label


def decode(data: bytes) -> Any:
    from PIL import Image

    with Image.open(io.BytesIO(data)) as image:
        return image.convert("RGB")


def pixels(image: Any) -> torch.Tensor:
    """A uint8 tensor C×H×W, equal to that of torchvision's pil_to_tensor()."""
    height, width = image.height, image.width
    return torch.frombuffer(bytearray(image.tobytes()), dtype=torch.uint8).view(height, width, 3).permute(2, 0, 1).contiguous()


def share() -> tuple[int, int, int]:
    """(id of this worker, number of workers, a seed that all workers share)."""
    worker = torch.utils.data.get_worker_info()
    if worker is None:
        return 0, 1, int(torch.randint(2**62, ()))
    return worker.id, worker.num_workers, worker.seed - worker.id


def warn_of_idle_workers(path: str, shards: int, what: str) -> None:
    """Warns from worker 0 alone, though every worker calls this when an epoch begins."""
    worker, workers, _ = share()
    if shards < workers and worker == 0:
        warnings.warn(f"{path}: {workers - shards} of {workers} workers have nothing to do: there are {shards} {what}", stacklevel=2)
