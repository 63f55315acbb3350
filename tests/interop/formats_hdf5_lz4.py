# SPDX-License-Identifier: Apache-2.0
"""h5py and the LZ4 filter, of the package hdf5plugin or of Debian's hdf5-filter-plugin: `formats_hdf5_lz4.py formats_probe`."""
import importlib.util
import os
import pathlib
import sys

from formats_support import SKIPPED, encoded, images, pixels, require, run_tests

h5py, numpy = require("h5py", "numpy")
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "python"))
from feedrate import records
from feedrate.failures import Mistake

LZ4 = 32004
if importlib.util.find_spec("hdf5plugin"):
    import hdf5plugin

    PLUGINS = {"HDF5_PLUGIN_PATH": hdf5plugin.PLUGIN_PATH}
elif h5py.h5z.filter_avail(LZ4):
    PLUGINS = {}
else:
    print(f"SKIPPED: {sys.executable} has no hdf5plugin, and h5py finds no filter {LZ4}; install the package hdf5plugin or "
          "hdf5-filter-plugin to run this test")
    sys.exit(SKIPPED)
NO_PLUGINS = {"HDF5_PLUGIN_PATH": os.devnull}


def some_pixels(count):
    array = numpy.random.default_rng(7).integers(0, 256, (count, 8, 9, 3), dtype=numpy.uint8)
    array[::2, 2:] = 9
    return array


def storages():
    """Options of stored arrays; option 0 of a filter lets it choose the block size."""
    lz4 = {"compression": LZ4, "compression_opts": (0,)}
    return [{"chunks": (1, 8, 9, 3), **lz4},
            {"chunks": (4, 8, 9, 3), **lz4, "maxshape": (None, 8, 9, 3)},
            {"chunks": (6, 8, 9, 3), "compression": LZ4, "compression_opts": (100,)},
            {"chunks": (3, 8, 9, 3), "shuffle": True, **lz4},
            {"chunks": (3, 4, 9, 3), **lz4},
            {"chunks": (3, 8, 9, 3), "fletcher32": True, **lz4}]


def write(path, array, storage, number=0):
    with h5py.File(path, "w", libver=("v110", "v110") if number % 2 else "earliest") as file:
        file.create_dataset("images", data=array, **storage)


def reads_pixels_by_the_filter_of_hdf5(probe, folder):
    array = some_pixels(6)
    expected = ("hdf5-decoded", [], [pixels(f"{i:06}", -1, image) for i, image in enumerate(array)])
    for number, storage in enumerate(storages()):
        path = folder / f"{number}.h5"
        write(path, array, storage, number)
        assert probe.list(path, variables=PLUGINS) == expected, storage


def reads_encoded_images_whose_references_are_packed(probe, folder):
    files = images(9)
    with h5py.File(folder / "a.h5", "w") as file:
        dataset = file.create_dataset("images", len(files), dtype=h5py.vlen_dtype(numpy.uint8), chunks=(4,), compression=LZ4,
                                      compression_opts=(0,))
        for i, data in enumerate(files):
            dataset[i] = numpy.frombuffer(data, numpy.uint8)
    expected = [encoded(f"{i:06}", -1, data) for i, data in enumerate(files)]
    assert probe.list(folder / "a.h5", variables=PLUGINS) == ("hdf5", [], expected)


def names_the_filter_and_the_cure_where_hdf5_lacks_it(probe, folder):
    for verb in ("list", "list-direct"):
        write(folder / "a.h5", some_pixels(6), storages()[0])
        error = probe.error(folder / "a.h5", verb, NO_PLUGINS)
        assert "record 0: cannot read: the HDF5 library lacks the filter lz4 (id 32004)" in error, error
        assert "apt-get install hdf5-filter-plugin" in error and "pip install hdf5plugin" in error and "HDF5_PLUGIN_PATH" in error, error


def names_the_filter_that_labels_need(probe, folder):
    with h5py.File(folder / "a.h5", "w") as file:
        file["images"] = some_pixels(600)
        file.create_dataset("labels", data=numpy.zeros(600, "i8"), chunks=(600,), compression=LZ4, compression_opts=(0,))
    error = probe.error(folder / "a.h5", variables=NO_PLUGINS)
    assert "cannot read labels: the HDF5 library lacks the filter lz4 (id 32004)" in error, error
    assert probe.list(folder / "a.h5", variables=PLUGINS)[2][599][1] == 0


def pytorch_engine_reads_it_with_the_filter(probe, folder):
    array = some_pixels(6)
    write(folder / "a.h5", array, storages()[1])
    source = records.open_source(str(folder / "a.h5"), "hdf5-decoded")
    assert all((source.read(i)[0] == array[i]).all() for i in range(6))


def pytorch_engine_names_the_filter_that_h5py_lacks(probe, folder):
    with h5py.File(folder / "a.h5", "w") as file:
        plan = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
        plan.set_chunk((1, 8, 9, 3))
        plan.set_filter(555, h5py.h5z.FLAG_OPTIONAL, ())  # An optional filter may be missing when the dataset is created.
        h5py.h5d.create(file.id, b"images", h5py.h5t.STD_U8LE, h5py.h5s.create_simple((6, 8, 9, 3)), plan)
    try:
        records.open_source(str(folder / "a.h5"), "hdf5-decoded")
    except Mistake as mistake:
        assert "images is compressed with a filter that h5py lacks (id 555)" in str(mistake), mistake
    else:
        raise AssertionError("it is opened")


run_tests(reads_pixels_by_the_filter_of_hdf5, reads_encoded_images_whose_references_are_packed,
          names_the_filter_and_the_cure_where_hdf5_lacks_it, names_the_filter_that_labels_need,
          pytorch_engine_reads_it_with_the_filter, pytorch_engine_names_the_filter_that_h5py_lacks)
