# SPDX-License-Identifier: Apache-2.0
"""The dataset of the examples. It downloads nothing: it computes a picture from its index, which takes about half a millisecond,
like decoding and resizing a small JPEG."""
import numpy as np
import torch
from torch.utils.data import Dataset


class Pictures(Dataset):
    """(float32 tensor of 3 x 32 x 32, label): noise with stripes, whose width is the label."""

    def __init__(self, length: int) -> None:
        self.length = length

    def __len__(self) -> int:
        return self.length

    def __getitem__(self, index: int):
        random = np.random.default_rng(index)
        label = int(random.integers(10))
        spectrum = np.fft.rfft2(random.normal(size=(3, 64, 64)))
        spectrum[:, 0, 1 + label] *= 20
        picture = np.fft.irfft2(spectrum)[:, ::2, ::2]
        return torch.from_numpy(picture.astype(np.float32)), label
