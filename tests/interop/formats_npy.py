# SPDX-License-Identifier: Apache-2.0
"""NumPy against feedrate's .npy files: `formats_npy.py formats_probe`."""
import io

from formats_support import pixels, require, run_tests

numpy = require("numpy")


def arrays():
    random = numpy.random.default_rng(7)
    return {"cat/1": random.integers(0, 256, (8, 9, 3), dtype=numpy.uint8),
            "cat/zürich": random.integers(0, 256, (120, 7, 3), dtype=numpy.uint8),
            "dog/1": random.integers(0, 256, (5, 6, 1), dtype=numpy.uint8)}


def save(root, images):
    for key, array in images.items():
        path = root / f"{key}.npy"
        path.parent.mkdir(parents=True, exist_ok=True)
        numpy.save(path, array)


def reads_what_numpy_saves(probe, folder):
    images = arrays() | {"dog/2": numpy.zeros((4, 3), numpy.uint8)}
    save(folder, images)
    expected = [pixels(key, int(key.startswith("dog")), array) for key, array in images.items()]
    assert probe.list(folder) == ("npy", ["cat", "dog"], expected)


def reads_all_versions_of_the_header(probe, folder):
    array = arrays()["cat/1"]
    for version in ((1, 0), (2, 0), (3, 0)):
        with open(folder / "1.npy", "wb") as file:
            numpy.lib.format.write_array(file, array, version)
        assert probe.list(folder) == ("npy", [], [pixels("1", -1, array)]), version


def explains_what_it_cannot_read(probe, folder):
    for number, array in enumerate((numpy.zeros((2, 3, 3)), numpy.zeros((3, 4, 5), "u1"),
                                    numpy.asfortranarray(arrays()["cat/1"]))):
        numpy.save(folder / "1.npy", array)
        assert "must be uint8 in C order" in probe.error(folder), number


def writes_what_numpy_loads(probe, folder):
    save(folder / "data", arrays())
    probe.copy(folder / "data", folder / "out", "npy")
    for key, array in arrays().items():
        path = folder / "out" / f"{key}.npy"
        assert numpy.array_equal(numpy.load(path), array), key
        saved = io.BytesIO()
        numpy.save(saved, array)
        assert tuple(map(int, numpy.__version__.split(".")[:2])) < (1, 23) or path.read_bytes() == saved.getvalue(), key


run_tests(reads_what_numpy_saves, reads_all_versions_of_the_header, explains_what_it_cannot_read, writes_what_numpy_loads)
