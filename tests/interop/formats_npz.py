# SPDX-License-Identifier: Apache-2.0
"""NumPy against feedrate's .npz files: `formats_npz.py formats_probe`."""
from formats_support import encoded, require, run_tests

numpy = require("numpy")


def records():
    """Arrays like those of DLIO's generator: rows × columns × samples per file."""
    random = numpy.random.default_rng(7)
    return {f"img_{number}": random.integers(0, 255, (30 + number, 40, 1), dtype=numpy.uint8) for number in range(4)}


def reads_what_dlio_saves(probe, folder):
    for key, array in records().items():
        numpy.savez(folder / f"{key}.npz", x=array, y=[0])
    expected = [encoded(key, -1, array.tobytes()) for key, array in records().items()]
    assert probe.list(folder) == ("npz", [], expected)


def reads_arrays_of_other_types_shapes_and_names(probe, folder):
    random = numpy.random.default_rng(8)
    for array in (random.random((2, 3, 4, 5)), numpy.arange(7), numpy.asfortranarray(random.random((5, 6)))):
        numpy.savez(folder / "1.npz", array)
        assert probe.list(folder)[2] == [encoded("1", -1, array.tobytes(order="A"))], array.shape


def explains_what_it_cannot_read(probe, folder):
    numpy.savez_compressed(folder / "1.npz", x=numpy.zeros(1000, numpy.uint8))
    assert "numpy.savez, not savez_compressed" in probe.error(folder)
    numpy.savez(folder / "1.npz", x=numpy.arange(1000))
    content = bytearray((folder / "1.npz").read_bytes())
    content[600] ^= 1
    (folder / "1.npz").write_bytes(content)
    assert "checksum" in probe.error(folder)


def writes_what_numpy_loads(probe, folder):
    for key, array in records().items():
        (folder / "data" / "cat").mkdir(parents=True, exist_ok=True)
        numpy.savez(folder / "data" / "cat" / f"{key}.npz", x=array)
    probe.copy(folder / "data", folder / "out", "npz")
    for key, array in records().items():
        loaded = numpy.load(folder / "out" / "cat" / f"{key}.npz")
        assert sorted(loaded) == ["x", "y"]
        assert loaded["x"].dtype == numpy.uint8 and loaded["x"].tobytes() == array.tobytes(), key
        assert loaded["y"].tolist() == [0]
    assert probe.list(folder / "out") == probe.list(folder / "data")


run_tests(reads_what_dlio_saves, reads_arrays_of_other_types_shapes_and_names, explains_what_it_cannot_read,
          writes_what_numpy_loads)
