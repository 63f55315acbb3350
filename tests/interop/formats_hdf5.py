# SPDX-License-Identifier: Apache-2.0
"""h5py against feedrate's HDF5: `formats_hdf5.py formats_probe`."""
from formats_support import class_folders, encoded, images, pixels, require, run_tests

h5py, numpy = require("h5py", "numpy")


def some_pixels(count):
    return numpy.random.default_rng(7).integers(0, 256, (count, 8, 9, 3), dtype=numpy.uint8)


def reads_encoded_images_labels_keys_and_class_names(probe, folder):
    files = images(5)
    with h5py.File(folder / "a.h5", "w") as file:
        dataset = file.create_dataset("images", len(files), dtype=h5py.vlen_dtype(numpy.uint8))
        for i, data in enumerate(files):
            dataset[i] = numpy.frombuffer(data, numpy.uint8)
        file["labels"] = numpy.arange(5, dtype=numpy.int16)
        file.create_dataset("keys", data=[f"é/{i}" for i in range(5)], dtype=h5py.string_dtype())
        file.attrs["class_names"] = ["zebra", "ant", "ü", "d", "e"]
    expected = [encoded(f"é/{i}", i, data) for i, data in enumerate(files)]
    assert probe.list(folder / "a.h5") == ("hdf5", ["zebra", "ant", "ü", "d", "e"], expected)


def reads_fixed_length_keys(probe, folder):
    array = some_pixels(3)
    with h5py.File(folder / "a.h5", "w") as file:
        file["images"] = array
        file["keys"] = numpy.array([b"a", b"bb", b"ccc"])
        file.attrs["class_names"] = numpy.array([b"x", b"yy"])
    expected = [pixels(key, -1, array[i]) for i, key in enumerate(["a", "bb", "ccc"])]
    assert probe.list(folder / "a.h5") == ("hdf5-contiguous", ["x", "yy"], expected)


def reads_pixels_however_they_are_stored(probe, folder):
    array = some_pixels(6)
    expected = [pixels(f"{i:06}", i % 2, array[i]) for i in range(6)]
    storages = [("hdf5-contiguous", {}), ("hdf5-decoded", {"chunks": True}),
                ("hdf5-decoded", {"chunks": (4, 8, 9, 3)}), ("hdf5-decoded", {"compression": "gzip"}),
                ("hdf5-decoded", {"maxshape": (None, 8, 9, 3)}),
                ("hdf5-decoded", {"chunks": (1, 8, 9, 3), "compression": "gzip", "shuffle": True}),
                ("hdf5-decoded", {"chunks": (4, 8, 9, 3), "compression": "gzip", "maxshape": (None, 8, 9, 3)})]
    for number, (name, storage) in enumerate(storages):
        path = folder / f"{number}.h5"
        with h5py.File(path, "w", libver=("v110", "v110") if number % 2 else "earliest") as file:
            file.create_dataset("x_train", data=array, **storage)
            file.create_dataset("y_train", data=(numpy.arange(6) % 2).astype("u1"))
        assert probe.list(path) == (name, [], expected), storage
        assert probe.list(path, "list-direct") == (name, [], expected), storage


def names_the_filter_that_plain_hdf5_lacks(probe, folder):
    with h5py.File(folder / "a.h5", "w") as file:  # LZF is h5py's own
        file.create_dataset("images", data=numpy.zeros((6, 8, 9, 3), "u1"), compression="lzf")
    error = probe.error(folder / "a.h5")
    assert "record 0: cannot read: the HDF5 library lacks the filter lzf (id 32000); only h5py supports it" in error, error


def explains_what_it_cannot_read(probe, folder):
    cases = [({"images": some_pixels(2).transpose(0, 3, 1, 2)}, "transpose(0, 2, 3, 1)"),
             ({"features": numpy.zeros((2, 5))}, "features: float64 2×5"),
             ({"images": some_pixels(2), "labels": numpy.zeros((2, 10), "i8")}, "expected 2 integers")]
    for number, (datasets, words) in enumerate(cases):
        path = folder / f"{number}.h5"
        with h5py.File(path, "w") as file:
            for name, data in datasets.items():
                file[name] = data
        assert words in probe.error(path), probe.error(path)


def does_not_follow_links_to_other_files(probe, folder):
    with h5py.File(folder / "secret.h5", "w") as file:
        file["images"] = some_pixels(2)
    with h5py.File(folder / "a.h5", "w") as file:
        file["images"] = h5py.ExternalLink("secret.h5", "images")
    assert "other file" in probe.error(folder / "a.h5"), probe.error(folder / "a.h5")


def writes_encoded_images_that_h5py_reads(probe, folder):
    expected, _ = class_folders(folder / "data", images(6))
    probe.copy(folder / "data", folder / "out.h5", "hdf5")
    with h5py.File(folder / "out.h5") as file:
        read = [encoded(key.decode(), int(label), image.tobytes())
                for key, label, image in zip(file["keys"], file["labels"], file["images"])]
        assert list(file.attrs["class_names"]) == ["cat", "dog"]
    assert read == expected


def writes_pixels_that_h5py_reads(probe, folder):
    array = some_pixels(5)
    with h5py.File(folder / "a.h5", "w") as file:
        file["images"] = array
        file["labels"] = numpy.arange(5)
    for name, chunks in (("hdf5-decoded", (1, 8, 9, 3)), ("hdf5-contiguous", None)):
        probe.copy(folder / "a.h5", folder / f"{name}.h5", name)
        with h5py.File(folder / f"{name}.h5") as file:
            assert file["images"].chunks == chunks and file["images"].dtype == numpy.uint8
            assert (file["images"][:] == array).all() and list(file["labels"]) == list(range(5))
            assert [key.decode() for key in file["keys"]] == [f"{i:06}" for i in range(5)]


run_tests(reads_encoded_images_labels_keys_and_class_names, reads_fixed_length_keys,
          reads_pixels_however_they_are_stored, names_the_filter_that_plain_hdf5_lacks, explains_what_it_cannot_read, does_not_follow_links_to_other_files,
          writes_encoded_images_that_h5py_reads, writes_pixels_that_h5py_reads)
