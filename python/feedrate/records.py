# SPDX-License-Identifier: Apache-2.0
"""Reads feedrate's own datasets as a PyTorch user would: the same files, and the same records in the same order.

Every source is map-style, tar too (by an index of offsets): only then do shuffle, drop_last and the number of batches mean the same
in every format. WebDataset reads sequentially and differs, so it needs an own dataset. docs/formats.md has the layouts. A source
is picklable; each process opens the handles itself, at its first record.
"""
from __future__ import annotations

import contextlib
import csv
import io
import json
import os
import re
import struct
import sys
import tarfile
import zipfile
from typing import Any, Callable, Iterable, NamedTuple, Protocol

from .failures import Mistake
from .tfrecord import TfrecordSource

_IMAGES = (".jpg", ".jpeg", ".png")
_NO_LABEL = -1


class Source(Protocol):
    def __len__(self) -> int: ...

    def read(self, index: int) -> tuple[Any, int]:
        """Returns a file-like object of an encoded image or an H×W×C array of pixels, and the label."""

    def name(self, index: int) -> str:
        """Names the record in messages."""


class FolderSource:
    """One file per image: class folders as for ImageFolder, labels.csv, or neither."""

    _EXTENSIONS: tuple[str, ...] = _IMAGES

    def __init__(self, root: str) -> None:
        self._samples = _list_folder(root, self._EXTENSIONS)

    def __len__(self) -> int:
        return len(self._samples)

    def read(self, index: int) -> tuple[Any, int]:
        path, label = self._samples[index]
        return open(path, "rb"), label

    def name(self, index: int) -> str:
        return self._samples[index][0]


class NpySource(FolderSource):
    _EXTENSIONS = (".npy",)

    def read(self, index: int) -> tuple[Any, int]:
        path, label = self._samples[index]
        return _require("numpy", "format npy").load(path), label


class NpzSource(FolderSource):
    """One .npz file per record: its array x, as in DLIO, or else its first array."""

    _EXTENSIONS = (".npz",)

    def read(self, index: int) -> tuple[Any, int]:
        path, label = self._samples[index]
        with _require("numpy", "format npz").load(path) as arrays:
            return arrays["x" if "x" in arrays.files else arrays.files[0]], label


def _list_folder(root: str, extensions: tuple[str, ...]) -> list[tuple[str, int]]:
    if os.path.exists(os.path.join(root, "labels.csv")):
        return _list_csv(root)
    entries = sorted(os.listdir(root))
    classes = [name for name in entries if os.path.isdir(os.path.join(root, name))]
    samples: list[tuple[str, int]] = []
    for label, name in enumerate(classes):
        for folder, _, files in sorted(os.walk(os.path.join(root, name), followlinks=True)):
            samples += [(os.path.join(folder, file), label) for file in sorted(files) if file.lower().endswith(extensions)]
    if samples:
        return samples
    return [(os.path.join(root, name), _NO_LABEL) for name in entries if name.lower().endswith(extensions)]


def _list_csv(root: str) -> list[tuple[str, int]]:
    with open(os.path.join(root, "labels.csv"), newline="", encoding="utf-8-sig") as file:
        return [(os.path.join(root, name), label) for name, label in _labelled_files(file, _class_names(root))]


def _labelled_files(labels_csv: Iterable[str], class_names: list[str]) -> list[tuple[str, int]]:
    rows = [(row["filename"], row["label"]) for row in csv.DictReader(labels_csv)]
    names: list[str] = []
    if not all(re.fullmatch(r"-?\d+|", label) for _, label in rows):
        names = class_names or sorted({label for _, label in rows if label})
    numbers = {name: number for number, name in enumerate(names)}
    return [(file, _NO_LABEL if not label else numbers[label] if names else int(label)) for file, label in rows]


def _class_names(root: str) -> list[str]:
    path = os.path.join(root, "classes.txt")
    if not os.path.exists(path):
        return []
    with open(path, encoding="utf-8", newline="") as file:
        return [line.rstrip("\r\n") for line in file]


class TarMember(NamedTuple):
    shard: str
    offset: int
    size: int
    label: int
    name: str


class TarSource:
    """Shards by name, members in their order. The index next to a shard saves walking it."""

    def __init__(self, path: str) -> None:
        shards = [path]
        if os.path.isdir(path):
            shards = [os.path.join(path, name) for name in sorted(os.listdir(path)) if name.endswith(".tar")]
        self._members = [member for shard in shards for member in _index_shard(shard)]
        self._files: dict[str, io.FileIO] = {}

    def __len__(self) -> int:
        return len(self._members)

    def read(self, index: int) -> tuple[Any, int]:
        member = self._members[index]
        return io.BytesIO(os.pread(self._descriptor(member.shard), member.size, member.offset)), member.label

    def name(self, index: int) -> str:
        member = self._members[index]
        return f"{member.shard}: {member.name}"

    def _descriptor(self, shard: str) -> int:
        if shard not in self._files:  # pread() leaves the offset alone, so a fork may share the descriptor
            self._files[shard] = open(shard, "rb", buffering=0)
        return self._files[shard].fileno()

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_files": {}}


def _index_shard(shard: str) -> list[TarMember]:
    try:
        with open(shard + ".idx", "rb") as file:
            content = file.read()
    except OSError:
        content = b""
    status = os.stat(shard)
    if len(content) >= 56 and content[:24] == b"FRTIDX02" + struct.pack("<Qq", status.st_size, status.st_mtime_ns):
        return _parse_index(shard, content)
    return _walk_shard(shard)


def _parse_index(shard: str, content: bytes) -> list[TarMember]:
    (count,) = struct.unpack_from("<Q", content, 40)
    members, at = [], 48
    for _ in range(count):
        offset, size, label, length = struct.unpack_from("<QQqI", content, at)
        at += 28
        members.append(TarMember(shard, offset, size, label, content[at : at + length].decode("utf-8", "surrogateescape")))
        at += length
    return members


def _walk_shard(shard: str) -> list[TarMember]:
    images: list[tuple[str, TarMember]] = []
    labels: dict[str, int] = {}
    with tarfile.open(shard, "r:") as archive:
        for member in archive:
            folder, base = os.path.split(member.name)
            base, dot, extension = base.partition(".")
            stem = os.path.join(folder, base)
            if not member.isfile() or not dot or not base or re.match(r"__[^/]*__/", member.name):
                continue
            if extension.lower() == "cls":
                content: Any = archive.extractfile(member)
                labels[stem] = int(content.read())
            elif member.name.lower().endswith(_IMAGES):
                images.append((stem, TarMember(shard, member.offset_data, member.size, _NO_LABEL, member.name)))
    return [member._replace(label=labels.get(stem, _NO_LABEL)) for stem, member in images]


class ZipSource:
    """A folder in one ZIP file. Each process opens it, because the handle has an offset."""

    def __init__(self, path: str) -> None:
        self._path = path
        self._process = -1
        with zipfile.ZipFile(path) as archive:
            self._samples = _list_zip(archive)

    def __len__(self) -> int:
        return len(self._samples)

    def read(self, index: int) -> tuple[Any, int]:
        if self._process != os.getpid():
            self._archive, self._process = zipfile.ZipFile(self._path), os.getpid()
        name, label = self._samples[index]
        return io.BytesIO(self._archive.read(name)), label

    def name(self, index: int) -> str:
        return f"{self._path}: {self._samples[index][0]}"

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_archive": None, "_process": -1}


def _list_zip(archive: zipfile.ZipFile) -> list[tuple[str, int]]:
    def lines(name: str) -> list[str]:
        return archive.read(name).decode("utf-8-sig").splitlines() if name in archive.NameToInfo else []

    names = [name for name in archive.namelist() if not re.search(r"^__MACOSX/|(^|/)\._[^/]*$", name)]
    if "labels.csv" in names:
        return _labelled_files(io.StringIO(archive.read("labels.csv").decode("utf-8-sig"), newline=""), lines("classes.txt"))
    classes = sorted({name.partition("/")[0] for name in names if "/" in name})
    numbers = {name: number for number, name in enumerate(classes)}
    images = [name for name in names if name.lower().endswith(_IMAGES)]
    found = sorted((numbers[name.partition("/")[0]], *name.rpartition("/")[::2], name) for name in images if "/" in name)
    if found:
        return [(name, label) for label, _, _, name in found]
    return [(name, _NO_LABEL) for name in sorted(images)]


class LmdbSource:
    """LMDB in feedrate's layout, or a database whose values are image files."""

    def __init__(self, path: str) -> None:
        self._path = path
        self._lmdb = _require("lmdb", "format lmdb")
        self._transaction: Any = None
        self._process = -1
        with self._open() as environment, environment.begin() as transaction:
            manifest = transaction.get(b"__feedrate__")
            self._keys = _image_keys(transaction) if manifest is None else None  # None: feedrate's layout
            self._size: int = json.loads(manifest)["records"] if self._keys is None else len(self._keys)

    def __len__(self) -> int:
        return self._size

    def read(self, index: int) -> tuple[Any, int]:
        if self._transaction is None or self._process != os.getpid():
            self._transaction, self._process = self._open().begin(buffers=True), os.getpid()
        if self._keys is not None:
            return io.BytesIO(self._transaction.get(self._keys[index])), _NO_LABEL
        value = self._transaction.get(b"%010d" % index)
        length, label = struct.unpack_from("<Iq", value, 4)
        return io.BytesIO(value[16 + length :]), label

    def name(self, index: int) -> str:
        return f"{self._path}: record {index}"

    def _open(self) -> Any:
        return self._lmdb.open(
            self._path, subdir=os.path.isdir(self._path), readonly=True, lock=False, readahead=False, meminit=False
        )

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_lmdb": None, "_transaction": None}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._lmdb = _require("lmdb", "format lmdb")


def _image_keys(transaction: Any) -> list[bytes]:
    keys = [key for key, value in transaction.cursor() if value.startswith((b"\xff\xd8\xff", b"\x89PNG"))]
    if all(re.fullmatch(rb"0|[1-9]\d*", key) for key in keys):
        keys.sort(key=int)
    return keys


# Names of arrays in HDF5 and Zarr, as in formats/array_names.h.
_IMAGE_NAMES = ("images", "image", "data", "x", "X", "x_train", "X_train", "train_images", "train_x", "train_set_x",
                "test_set_x")
_COORDINATES = ("x", "X", "y", "Y")  # Coordinates have these names, too, and are skipped.
_LABEL_NAMES = ("labels", "label", "targets", "target", "y", "Y", "y_train", "Y_train", "train_labels", "train_y", "train_set_y",
                "test_set_y")


def _named_images(arrays: Any) -> str | None:
    def is_coordinate(name: str) -> bool:
        return name in _COORDINATES and arrays[name].ndim <= 1 and arrays[name].dtype != "O"

    return next((name for name in _IMAGE_NAMES if name in arrays and not is_coordinate(name)), None)


def _labels_name(arrays: Any, records: int) -> str | None:
    return next((name for name in _LABEL_NAMES if name in arrays and not (name in _COORDINATES and arrays[name].size != records)), None)


class Hdf5Source:
    """Encoded images of variable length, or pixels. Each process opens the file, because HDF5's handles do not survive a fork."""

    def __init__(self, path: str) -> None:
        self._path = path
        self._process = -1
        with self._open() as file:
            self._images_name = self._choose_images(file)
            self._require_filters(file[self._images_name])
            self._size: int = file[self._images_name].shape[0]
            self._encoded = file[self._images_name].ndim == 1
            labels = _labels_name(file, self._size)
            self._labels = [_NO_LABEL] * self._size if labels is None else file[labels][:].reshape(-1).tolist()

    def __len__(self) -> int:
        return self._size

    def read(self, index: int) -> tuple[Any, int]:
        if self._process != os.getpid():
            self._images, self._process = self._open()[self._images_name], os.getpid()
        value = self._images[index]
        return io.BytesIO(value.tobytes()) if self._encoded else value, self._labels[index]

    def name(self, index: int) -> str:
        return f"{self._path}: record {index}"

    def _choose_images(self, file: Any) -> str:
        named = _named_images(file)
        if named is not None:
            return named
        ranks = {"uint8": (3, 4), "object": (1,)}
        return next(str(name) for name, item in file.items() if getattr(item, "ndim", 0) in ranks.get(str(getattr(item, "dtype", "")), ()))

    def _require_filters(self, images: Any) -> None:
        plan = images.id.get_create_plist()
        for number in (plan.get_filter(i)[0] for i in range(plan.get_nfilters())):
            if not _require("h5py", "format hdf5").h5z.filter_avail(number):
                raise Mistake(f"{self._path}: {self._images_name} is compressed with a filter that h5py lacks (id {number}); "
                              f"{sys.executable} -m pip install hdf5plugin")

    def _open(self) -> Any:
        with contextlib.suppress(ImportError):
            import hdf5plugin  # noqa: F401  The import registers filters.
        return _require("h5py", "format hdf5").File(self._path, "r")

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_images": None, "_process": -1}


class ZarrSource:
    """Pixels in chunks. Each process opens the group, because a fork does not copy the thread of zarr-python."""

    def __init__(self, path: str) -> None:
        self._path = path
        self._process = -1
        group = self._open()
        self._images_name = self._choose_images(group)
        self._size: int = group[self._images_name].shape[0]
        labels = _labels_name(group, self._size)
        self._labels = [_NO_LABEL] * self._size if labels is None else group[labels][:].reshape(-1).tolist()

    def __len__(self) -> int:
        return self._size

    def read(self, index: int) -> tuple[Any, int]:
        if self._process != os.getpid():
            self._images, self._process = self._open()[self._images_name], os.getpid()
        return self._images[index], self._labels[index]

    def name(self, index: int) -> str:
        return f"{self._path}: record {index}"

    def _choose_images(self, group: Any) -> str:
        named = _named_images(group)
        if named is not None:
            return named
        return next(str(name) for name, array in group.arrays() if array.ndim in (3, 4) and array.dtype == "uint8")

    def _open(self) -> Any:
        zarr = _require("zarr", "format zarr")
        if zarr.__version__.startswith("2.") and os.path.exists(os.path.join(self._path, "zarr.json")):
            raise Mistake(f"{self._path}: has Zarr format 3, which zarr {zarr.__version__} does not read; {sys.executable} -m pip "
                          "install 'zarr>=3', or convert the dataset: feedrate data convert SRC DST --format zarr --zarr-format 2")
        return zarr.open_group(self._path, mode="r")

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_images": None, "_process": -1}


def _require(module: str, what: str) -> Any:
    try:
        return __import__(module)
    except ImportError as error:
        raise Mistake(f"{what}: the PyTorch engine needs {module}: {error}; {sys.executable} -m pip install {module}") from None


_SOURCES: dict[str, Callable[[str], Source]] = {
    "folder": FolderSource,
    "tar": TarSource,
    "lmdb": LmdbSource,
    "hdf5": Hdf5Source,
    "hdf5-decoded": Hdf5Source,
    "hdf5-contiguous": Hdf5Source,
    "tfrecord": TfrecordSource,
    "zip": ZipSource,
    "npy": NpySource,
    "npz": NpzSource,
    "zarr": ZarrSource,
}


def open_source(path: str, format_name: str) -> Source:
    return _SOURCES[format_name](path)
