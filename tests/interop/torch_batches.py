#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compares the PyTorch engine's batches with the native loader's: order, labels, and every byte of the tensors.

    torch_batches.py <torch_batches_probe> <feedrate> <source folder>

Exits 77 without torch, torchvision and Pillow; formats whose module is missing are named and left out.
"""
import dataclasses
import importlib
import io
import pathlib
import subprocess
import sys
import tarfile
import tempfile
import warnings
import zlib

PROBE, FEEDRATE, SOURCE = sys.argv[1:4]
sys.path.insert(0, str(pathlib.Path(SOURCE) / "python"))
try:
    import torch
    import torchvision  # noqa: F401
    from PIL import Image  # noqa: F401
except ImportError as error:
    print(f"skipped: {sys.executable}: {error}; needs torch, torchvision and Pillow")
    sys.exit(77)

from feedrate import simulated_accelerator
from feedrate.byte_records import open_bytes
from feedrate.images import open_images
from feedrate.job import LoaderJob
from feedrate.loading import open_feed
from feedrate.sequences import open_sequences

warnings.filterwarnings("ignore")  # Ignores more workers than CPUs: speed does not matter here.
RECORDS = 23
MAX_LENGTH = 300  # of sequences; torch_batches_probe.cpp has the same
JOB = LoaderJob(batch_size=4, num_workers=0, prefetch_factor=2, persistent_workers=False, pin_memory=False, shuffle=False,
                drop_last=False, in_order=True, seed=0, timeout=0, multiprocessing_context="fork",
                sharing_strategy="file_descriptor")
FORMATS = {"folder": (None, ""), "tar": (None, ".tar"), "lmdb": ("lmdb", ".lmdb"), "hdf5": ("h5py", ".h5"),
           "hdf5-decoded": ("h5py", ".decoded.h5"), "hdf5-contiguous": ("h5py", ".contiguous.h5"),
           "tfrecord": (None, ".tfrecord"), "zip": (None, ".zip"), "npy": ("numpy", ".npy-files"),
           "zarr": ("zarr", ".zarr")}


def native(path, job, epoch, batches, side):
    # If `side` is a text, it is the padding of sequences.
    words = [PROBE, path, job.batch_size, job.seed, int(job.shuffle), int(job.drop_last), epoch, batches, side,
             int(job.group_by_length), job.shuffle_window]
    lines = subprocess.run(list(map(str, words)), check=True, capture_output=True, text=True).stdout.splitlines()
    return [([int(label) for label in line.split()[:-1]], line.split()[-1]) for line in lines]


def feed_of(path, name, job, side):
    if isinstance(side, str):
        tokens = {"max_length": MAX_LENGTH, "padding": side}
        return open_feed(open_sequences({"path": str(path), "format": name, "tokens": tokens}), job)
    if side < 0:
        return open_feed(open_bytes({"path": str(path), "format": name, "resize_bytes": -side}), job)
    return open_feed(open_images({
        "path": str(path),
        "format": name,
        "transforms": [{"name": "resize", "size": [side, side]}] if side else [],
        "to_tensor": bool(side),
        "normalize": {"mean": [0.4, 0.5, 0.6], "std": [0.2, 0.25, 0.3]} if side else None,
        "skip_damaged": False,
    }), job)


def pytorch(feed, epoch, batches):
    found = []
    for batch in feed.begin(epoch, batches):
        images, labels = (batch["input_ids"], batch["labels"]) if isinstance(batch, dict) else batch
        samples = feed.samples(images)
        assert samples == len(labels), (samples, len(labels))
        found.append((labels.tolist(), f"{zlib.crc32(images.numpy().tobytes()):08x}"))
    return found


def check(path, name, side, epoch, batches, keep_index=True, **changes):
    job = dataclasses.replace(JOB, **changes)
    wanted = native(path, job, epoch, batches, side)
    if not keep_index:  # Tests the walk of a shard without an index.
        path.with_name(path.name + ".idx").unlink()
    got = pytorch(feed_of(path, name, job, side), epoch, batches)
    assert len(wanted) == batches, (len(wanted), batches)
    if got == wanted:
        return 0
    print(f"differs: {path.name} side={side} epoch={epoch} batches={batches} {changes}")
    for place, (ours, theirs) in enumerate(zip(wanted, got)):
        if ours != theirs:
            print(f"  batch {place}: native {ours}, PyTorch {theirs}")
            break
    return 1


def epochs_in_a_row(path):
    """Compares consecutive epochs of the same feed, with persistent workers. Returns the number of differences."""
    job = dataclasses.replace(JOB, num_workers=2, persistent_workers=True, shuffle=True, pin_memory=True, seed=3)
    feed = feed_of(path, "folder", job, 16)
    return sum(pytorch(feed, epoch, batches) != native(path, job, epoch, batches, 16)
               for epoch, batches in ((0, 2), (1, 2), (2, 9)))


def make(path, count, *options):
    subprocess.run([FEEDRATE, "data", "make", str(path), "--count", str(count), *options], check=True, capture_output=True)


def tar_of(path, members):
    with tarfile.open(path, "w") as archive:
        for name, content in members:
            member = tarfile.TarInfo(name)
            member.size = len(content)
            archive.addfile(member, io.BytesIO(content))
    return path


def foreign_tars(root):
    """Tar files that webdataset 1.0.2 reads, one without the zeros that end a tar."""
    files = sorted((root / "ds").glob("*/*.png"))[:8]
    upper = [entry for i, file in enumerate(files) for entry in ((f"{i}.PNG", file.read_bytes()), (f"{i}.CLS", b"%d" % (3 + i)))]
    yield tar_of(root / "upper.tar", upper), "tar"
    path = tar_of(root / "underscores.tar", [(f"__{i}__.png", file.read_bytes()) for i, file in enumerate(files)])
    path.write_bytes(path.read_bytes().rstrip(b"\0"))
    yield path, "tar"


def foreign_images(root):
    """Gray images of 16 bits, which Pillow clips."""
    import numpy

    folder = root / "grey16"
    folder.mkdir()
    for i in range(8):
        grey = numpy.random.default_rng(i).integers(0, 400, (12, 10), dtype=numpy.uint16)
        Image.fromarray(grey.astype(numpy.int32)).save(folder / f"{i}.png")
        assert (folder / f"{i}.png").read_bytes()[24:26] == b"\x10\0"
    yield folder, "folder"


def foreign_hdf5(root):
    """Links and coordinates, and other byte arrays."""
    import h5py
    import numpy

    images = numpy.random.default_rng(0).integers(0, 256, (8, 6, 5, 3), dtype=numpy.uint8)
    with h5py.File(root / "links.h5", "w") as file:
        file["d/im"], file["meta/y"] = images, numpy.arange(8) % 3
        file["images"], file["labels"] = h5py.SoftLink("/d/im"), h5py.SoftLink("/meta/y")
    with h5py.File(root / "coordinates.h5", "w") as file:
        file["pixels"], file["x"], file["y"] = images, numpy.arange(5.0), numpy.arange(6.0)
        file["bytes"], file["y_train"] = numpy.arange(8, dtype=numpy.uint8), numpy.arange(8)
    yield root / "links.h5", "hdf5-contiguous"
    yield root / "coordinates.h5", "hdf5-contiguous"


def foreign_zarr(root):
    import numpy
    import zarr

    images = numpy.random.default_rng(1).integers(0, 256, (8, 6, 5, 3), dtype=numpy.uint8)
    group = zarr.open_group(str(root / "coordinates.zarr"), mode="w")
    for name, array in (("pixels", images), ("x", numpy.arange(5.0)), ("y", numpy.arange(6.0)), ("y_train", numpy.arange(8))):
        group[name] = array
    yield root / "coordinates.zarr", "zarr"


def check_foreign(root):
    """Checks files of other programs; returns the numbers of checks and of failures."""
    checks = failures = 0
    for files in (foreign_tars, foreign_images, foreign_hdf5, foreign_zarr):
        try:
            for path, name in files(root):
                failures += check(path, name, 0, epoch=0, batches=2)
                checks += 1
        except ImportError as error:
            print(f"skipped: {files.__name__}: {error}")
    return checks, failures


def main():
    simulated_accelerator.install()
    failures = checks = 0
    with tempfile.TemporaryDirectory() as folder:
        root = pathlib.Path(folder)
        source = root / "ds"
        make(source, RECORDS)
        for name, (module, suffix) in FORMATS.items():
            try:
                module and importlib.import_module(module)
            except ImportError as error:
                print(f"skipped: {name}: {error}")
                continue
            path = source if name == "folder" else root / f"ds{suffix}"
            if name != "folder":
                options = ["--zarr-format", sys.modules["zarr"].__version__[0]] if name == "zarr" else []
                subprocess.run([FEEDRATE, "data", "convert", str(source), str(path), "--format", name, *options], check=True,
                               capture_output=True)
            failures += check(path, name, 0, epoch=0, batches=6)
            failures += check(path, name, 16, epoch=1, batches=14, shuffle=True, seed=7)
            failures += check(path, name, 16, epoch=2, batches=14, shuffle=True, drop_last=True, seed=7, num_workers=2)
            failures += check(path, name, 16, epoch=0, batches=3, num_workers=3, pin_memory=True)
            checks += 4
        foreign = check_foreign(root)
        checks += foreign[0]
        failures += foreign[1]
        photos = root / "photos"
        make(photos, 5, "--preset", "imagenet-like")
        failures += check(photos, "folder", 32, epoch=0, batches=2, shuffle=True)
        checks += 1
        failures += check(root / "ds.tar", "tar", 16, epoch=0, batches=6, keep_index=False)
        for name in ("npz", "tfrecord"):
            records = root / f"opaque.{name}"
            make(records, 9, "--preset", "bytes", "--format", name, "--record-bytes", "2000", "--record-bytes-stdev", "700")
            failures += check(records, name, -2000, epoch=1, batches=3, shuffle=True, num_workers=2)
            checks += 1
        for name in ("npz", "tfrecord"):
            records = root / f"tokens.{name}"
            make(records, RECORDS, "--preset", "tokens-like", "--format", name)
            failures += check(records, name, "max_length", epoch=0, batches=6)
            failures += check(records, name, "longest", epoch=1, batches=9, shuffle=True, num_workers=2, pin_memory=True)
            failures += check(records, name, "longest", epoch=1, batches=9, shuffle=True, group_by_length=True)
            failures += check(records, name, "longest", epoch=1, batches=9, shuffle=True, shuffle_window=5)
            checks += 4
        failures += check(source, "folder", -500, epoch=0, batches=6)
        checks += 1
        failures += epochs_in_a_row(source)
        checks += 4
    print(f"torch {torch.__version__}: {checks} comparisons, {failures} differ")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
