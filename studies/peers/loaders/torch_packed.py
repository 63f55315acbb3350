# SPDX-License-Identifier: Apache-2.0
"""PyTorch with one large file, by py-lmdb or h5py; the code that reads a record is that of docs/datasets_in_pytorch.py.

Job: data, storage (lmdb, hdf5, hdf5-decoded), pipeline, batch, workers, seconds.
"""
from __future__ import annotations

import io
import json

from PIL import Image
from torch.utils.data import DataLoader, Dataset, RandomSampler

import torch_transforms
from measuring import ENDLESS, answer, images_of, rate, read_job


class Lmdb(Dataset):
    def __init__(self, path, transform):
        import lmdb

        self.path, self.transform, self.transaction = path, transform, None
        with lmdb.open(path, readonly=True, lock=False) as environment, environment.begin() as transaction:
            self.length = json.loads(transaction.get(b"__feedrate__"))["records"]

    def __len__(self):
        return self.length

    def __getitem__(self, index):
        if self.transaction is None:  # opened in the worker, because an environment must not cross a fork
            import lmdb

            environment = lmdb.open(self.path, readonly=True, lock=False, readahead=False)
            self.transaction = environment.begin(buffers=True)
        value = self.transaction.get(b"%010d" % index)
        key_length = int.from_bytes(value[4:8], "little")
        label = int.from_bytes(value[8:16], "little", signed=True)
        return self.transform(Image.open(io.BytesIO(value[16 + key_length :])).convert("RGB")), label


class Hdf5(Dataset):
    def __init__(self, path, transform, is_decoded):
        import h5py

        self.path, self.transform, self.is_decoded, self.images = path, transform, is_decoded, None
        with h5py.File(path, "r") as file:
            self.labels = file["labels"][:].tolist()

    def __len__(self):
        return len(self.labels)

    def __getitem__(self, index):
        if self.images is None:
            import h5py

            self.images = h5py.File(self.path, "r")["images"]
        stored = self.images[index]
        image = stored if self.is_decoded else Image.open(io.BytesIO(stored.tobytes())).convert("RGB")
        return self.transform(image), self.labels[index]


def main() -> None:
    job = read_job()
    transform = torch_transforms.of_images(job["pipeline"])
    if job["storage"] == "lmdb":
        dataset = Lmdb(job["data"], transform)
    else:
        dataset = Hdf5(job["data"], transform, job["storage"] == "hdf5-decoded")
    loader = DataLoader(
        dataset, batch_size=job["batch"], sampler=RandomSampler(dataset, num_samples=ENDLESS), num_workers=job["workers"], multiprocessing_context="fork" if job["workers"] else None
    )
    answer(value=rate(iter(loader), job, images_of))


if __name__ == "__main__":
    main()
