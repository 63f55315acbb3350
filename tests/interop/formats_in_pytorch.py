#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""docs/datasets_in_pytorch.py, on datasets that feedrate writes.

    formats_in_pytorch.py formats_probe <source folder>
"""
import importlib
import pathlib
import sys

from formats_support import require, run_tests

torch, torchvision, numpy, _, _ = require("torch", "torchvision", "numpy", "lmdb", "h5py")
SOURCE = pathlib.Path(sys.argv[2])
FILE_TYPES = {"tar": "a.tar", "lmdb": "a.lmdb", "hdf5": "a.h5", "tfrecord": "a.tfrecord", "zip": "a.zip",
              "hdf5-decoded": "b.h5", "hdf5-contiguous": "c.h5", "zarr": "d.zarr"}

sys.path.insert(0, str(SOURCE / "docs"))  # also for workers
datasets = importlib.import_module("datasets_in_pytorch")
to_tensor = torchvision.transforms.functional.pil_to_tensor


def images(folder):
    """Class folders of PNG files of one shape, as files and as arrays."""
    from PIL import Image

    for number in range(12):
        pixels = numpy.full((20, 30, 3), (number * 20, 99, 7), dtype=numpy.uint8)
        for kind in ("files", "arrays"):
            (folder / kind / f"class{number % 3}").mkdir(parents=True, exist_ok=True)
        Image.fromarray(pixels).save(folder / f"files/class{number % 3}/{number:04}.png")
        numpy.save(folder / f"arrays/class{number % 3}/{number:04}.npy", pixels)


def samples(dataset, context="fork"):
    loader = torch.utils.data.DataLoader(dataset, batch_size=5, num_workers=2, multiprocessing_context=context)
    return sorted((int(label), image.numpy().tobytes()) for batch in loader for image, label in zip(*batch))


def expected(folder):
    return samples(torchvision.datasets.ImageFolder(str(folder / "files"), to_tensor))


def reads(format, dataset, *options):
    def test(probe, folder):
        images(folder)
        source = "arrays" if format in ("hdf5-decoded", "hdf5-contiguous", "zarr") else "files"
        probe.copy(folder / source, folder / FILE_TYPES[format], format, *options)
        for context in ("fork", "spawn"):
            found = samples(getattr(datasets, dataset)(str(folder / FILE_TYPES[format]), to_tensor), context)
            assert found == expected(folder), (format, context)

    test.__name__ = f"{dataset}_reads_{format}"
    return test


def reads_zarr(probe, folder):
    try:
        zarr = importlib.import_module("zarr")
    except ImportError as error:
        print(f"skipped: zarr: {error}")
        return
    reads("zarr", "Zarr", f"zarr_format={zarr.__version__[0]}")(probe, folder)


def reads_npy(probe, folder):
    images(folder)
    probe.copy(folder / "arrays", folder / "copy", "npy")
    dataset = torchvision.datasets.DatasetFolder(str(folder / "copy"), datasets.load_npy, (".npy",), to_tensor_of)
    assert samples(dataset) == expected(folder)


def to_tensor_of(array):
    return torch.from_numpy(array).permute(2, 0, 1).contiguous()


def reads_npz(probe, folder):
    for number in range(4):
        (folder / f"in/class{number % 2}").mkdir(parents=True, exist_ok=True)
        numpy.savez(folder / f"in/class{number % 2}/{number}.npz", x=numpy.arange(number + 1, dtype=numpy.int32), y=[0])
    probe.copy(folder / "in", folder / "out", "npz")
    dataset = torchvision.datasets.DatasetFolder(str(folder / "out"), datasets.load_npz, (".npz",))
    assert sorted((label, record.view("int32").tolist()) for record, label in dataset) == [
        (number % 2, list(range(number + 1))) for number in (0, 2, 1, 3)]


if __name__ == "__main__":  # spawn imports this file again, in every worker
    run_tests(reads("tar", "Tar"), reads("lmdb", "Lmdb"), reads("hdf5", "Hdf5"), reads("hdf5-decoded", "Hdf5"),
              reads("hdf5-contiguous", "Hdf5"), reads("tfrecord", "TfRecord"), reads("zip", "Zip"), reads_zarr, reads_npy,
              reads_npz)
