# SPDX-License-Identifier: Apache-2.0
"""Point clouds, of which each sample draws random points: loaders/decode/points_pipeline.h with PyTorch's random numbers."""
from __future__ import annotations

from typing import Any

import torch

from .byte_records import first_bytes
from .loading import Workload
from .records import Source, open_source

_POINT_BYTES = 12


class Points(torch.utils.data.Dataset):
    def __init__(self, source: Source, points: int) -> None:
        self._source = source
        self._points = points

    def __len__(self) -> int:
        return len(self._source)

    def __getitem__(self, index: int) -> tuple[torch.Tensor, int]:
        data, label = self._source.read(index)
        cloud = first_bytes(data)
        if not len(cloud) or len(cloud) % _POINT_BYTES:
            raise ValueError(f"{self._source.name(index)}: {len(cloud)} bytes are not a point cloud, whose points have {_POINT_BYTES} bytes each")
        cloud = cloud.view(torch.float32).view(-1, 3)
        return cloud[torch.randint(len(cloud), (self._points,))], label


def open_points(job: dict[str, Any]) -> Workload:
    return Workload(Points(open_source(job["path"], job["format"]), job["sample_points"]))
