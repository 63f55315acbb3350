# SPDX-License-Identifier: Apache-2.0
"""Datasets for PyTorch that read what `feedrate data convert` writes: formats.md, "In PyTorch"."""
import io
import json
import os
import tarfile
import zipfile

import numpy
from PIL import Image
from torch.utils.data import Dataset


class Images(Dataset):
    def __init__(self, path, transform):
        self.path, self.transform, self.file, self.labels = path, transform, None, []

    def __len__(self):
        return len(self.labels)

    def __getitem__(self, index):
        if self.file is None:
            self.file = self.open()
        return self.transform(self.image(index)), self.labels[index]

    def open(self):
        return open(self.path, "rb")

    def image(self, index):
        return Image.open(io.BytesIO(self.encoded(index))).convert("RGB")

    def encoded(self, index):  # self.places: offset and size of each image in the file
        offset, size = self.places[index]
        return os.pread(self.file.fileno(), size, offset)


class Tar(Images):
    def __init__(self, path, transform):
        super().__init__(path, transform)
        images, labels = {}, {}
        with tarfile.open(path) as tar:
            for member in tar:
                key, _, kind = member.name.rpartition(".")
                if kind == "cls":
                    labels[key] = int(tar.extractfile(member).read())
                else:
                    images[key] = (member.offset_data, member.size)
        self.places, self.labels = list(images.values()), [labels[key] for key in images]


class Lmdb(Images):
    def __init__(self, path, transform):
        super().__init__(path, transform)
        with self.open() as env, env.begin() as txn:
            records = json.loads(txn.get(b"__feedrate__"))["records"]
            self.labels = [int.from_bytes(txn.get(b"%010d" % i)[8:16], "little", signed=True) for i in range(records)]

    def open(self):
        import lmdb
        return lmdb.open(self.path, readonly=True, lock=False, readahead=False)

    def encoded(self, index):
        with self.file.begin() as txn:
            value = txn.get(b"%010d" % index)
        return value[16 + int.from_bytes(value[4:8], "little"):]


class Hdf5(Images):
    def __init__(self, path, transform):
        super().__init__(path, transform)
        with self.open() as file:
            self.labels = file["labels"][:].tolist()

    def open(self):
        import h5py
        return h5py.File(self.path)

    def image(self, index):
        data = self.file["images"][index]  # a JPEG or PNG file, or pixels
        return Image.fromarray(data) if data.ndim == 3 else Image.open(io.BytesIO(data.tobytes())).convert("RGB")


class Zarr(Images):
    def __init__(self, path, transform):
        super().__init__(path, transform)
        self.labels = self.open()["label"][:].tolist()

    def open(self):
        import zarr
        return zarr.open_group(self.path, mode="r")

    def image(self, index):
        return Image.fromarray(self.file["image"][index])  # its chunk is read and decoded whole


class TfRecord(Images):
    def __init__(self, path, transform):
        super().__init__(path, transform)
        self.places, end = [], os.path.getsize(path)
        with open(path, "rb") as file:
            while file.tell() < end:
                size = int.from_bytes(file.read(12)[:8], "little")
                self.places.append((file.tell(), size))
                file.seek(size + 4, os.SEEK_CUR)
            self.labels = [features(os.pread(file.fileno(), size, at))[b"image/class/label"] for at, size in self.places]

    def encoded(self, index):
        return features(super().encoded(index))[b"image/encoded"]


def fields(message):  # Protocol Buffers: number and value of each field
    def varint():
        nonlocal at
        value = shift = 0
        while True:
            byte, at = message[at], at + 1
            value, shift = value | (byte & 127) << shift, shift + 7
            if byte < 128:
                return value
    at = 0
    while at < len(message):
        tag = varint()
        value = varint()
        if tag & 7 == 2:  # bytes, whose length that was
            value, at = message[at:at + value], at + value
        yield tag >> 3, value


def features(example):  # tf.train.Example: the first value of each feature
    found = {}
    for _, entry in fields(dict(fields(example))[1]):
        key, feature = dict(fields(entry)).values()
        (kind, values), = fields(feature)
        first = next(fields(values))[1]
        found[key] = next(fields(b"\0" + first))[1] if kind == 3 else first
    return found


class Zip(Images):
    def __init__(self, path, transform):
        super().__init__(path, transform)
        with self.open() as archive:
            self.names = sorted(name for name in archive.namelist() if not name.endswith(("/", ".csv", ".txt")))
        classes = sorted({name.split("/")[0] for name in self.names})
        self.labels = [classes.index(name.split("/")[0]) for name in self.names]

    def open(self):
        return zipfile.ZipFile(self.path)

    def encoded(self, index):
        return self.file.read(self.names[index])


def load_npy(path):
    return numpy.load(path)


def load_npz(path):
    return numpy.load(path)["x"]
