# SPDX-License-Identifier: Apache-2.0
"""Arrays in compressed chunks of an HDF5 file; each process opens the file itself."""
import os

import h5py
import numpy
import torch
from torch.utils.data import DataLoader, Dataset
from training import train, wait_for_gpu

PATH = "arrays.h5"


def make_file() -> None:
    values = numpy.random.RandomState(0).randint(0, 50, (512, 64, 64, 4)).astype("float32")
    with h5py.File(PATH + ".part", "w") as file:
        file.create_dataset("x", data=values, chunks=(1, 64, 64, 4), compression="gzip", compression_opts=4)
    os.rename(PATH + ".part", PATH)


class Arrays(Dataset):
    file = None

    def __len__(self) -> int:
        return 32 * 1_500

    def __getitem__(self, index: int) -> torch.Tensor:
        if self.file is None:
            self.file = h5py.File(PATH, "r")
        return torch.from_numpy(self.file["x"][index % 512])


if __name__ == "__main__":
    if not os.path.exists(PATH):
        make_file()
    train(lambda **settings: DataLoader(Arrays(), batch_size=32, shuffle=True, **settings), wait_for_gpu(15))
