#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The configurations for other packages, at small size, run by the commands in their first lines.

    configs_test.py <feedrate> <source folder> <storage|loaders|tokens|video>

Exits 77 if a package of requirements.txt is missing.
"""
import csv
import importlib.util
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

FEEDRATE, SOURCE = pathlib.Path(sys.argv.pop(1)).resolve(), pathlib.Path(sys.argv.pop(1)).resolve()
CASE = sys.argv.pop(1)
NEEDED = {
    "storage": ["h5py", "lance", "lmdb", "pyarrow", "streaming", "webdataset", "zarr"], "loaders": ["spdl", "torchdata", "webdataset"], "tokens": ["numpy"],
    "video": ["av"],
}[CASE]
lacking = [name for name in ["torch", *NEEDED] if importlib.util.find_spec(name) is None]
if lacking:
    print(f"skipped: needs the package {', '.join(lacking)}")
    sys.exit(77)


class Configs(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        (self.folder / "data").mkdir()

    def feedrate(self, *words):
        environment = {**os.environ, "FEEDRATE_PYTHON": sys.executable}
        done = subprocess.run([FEEDRATE, *words], cwd=self.folder, env=environment, capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        return done.stdout

    def cells(self, config, *words):
        self.feedrate("sweep", SOURCE / "configs" / config, "--out", "results", "--steps", "2", "--repeats", "1", "--device",
                      "sim:a100-pcie4", *words)
        with open(self.folder / "results" / "cells.csv", newline="") as file:
            cells = list(csv.DictReader(file))
        for cell in cells:
            self.assertEqual(cell["outcome"], "ok", cell)
            self.assertGreater(float(cell["samples_per_second"]), 0)
        return cells

    def case_storage(self):
        self.feedrate("data", "make", "data/photos", "--preset", "imagenet-like", "--size", "40x32", "--count", "30")
        for suffix in ("tar", "lmdb", "h5", "zarr", "parquet", "mds", "lance"):
            printed = self.feedrate("data", "convert", "data/photos", f"data/photos.{suffix}")
            self.assertIn("30", printed)
        self.feedrate("data", "convert", "data/photos", "data/photos.tars", "--format", "tar", "--shard-bytes", "20KB")
        cells = self.cells("storage-2026.yaml", "--axis", "batch_size=4", "--axis", "num_workers=0")  # spawned workers import for seconds
        self.assertEqual(len({cell["variant"] for cell in cells}), 9)
        self.assertEqual(len(cells), 9)

    def case_loaders(self):
        cells = self.cells("loaders.yaml", "--axis", "batch_size=4")
        self.assertEqual(len({cell["loader_factory"] for cell in cells}), 5)

    def case_tokens(self):
        import numpy

        numpy.random.default_rng(0).integers(0, 50257, 100_000, "uint16").tofile(self.folder / "data" / "tokens.bin")
        cells = self.cells("tokens-mmap.yaml", "--axis", "num_workers=0,1")
        self.assertLessEqual({"length=256", "length=1024"}, {cell["variant"] for cell in cells})

    def case_video(self):
        import av
        import numpy

        (self.folder / "data" / "video").mkdir()
        with av.open(str(self.folder / "data" / "video" / "1.mp4"), "w") as container:
            stream = container.add_stream("mpeg4", rate=25)
            stream.width, stream.height = 64, 48
            for number in range(80):
                container.mux(stream.encode(av.VideoFrame.from_ndarray(numpy.full((48, 64, 3), 3 * number, numpy.uint8), format="rgb24")))
            container.mux(stream.encode(None))
        cells = self.cells("video.yaml", "--axis", "num_workers=0,1", "--axis", "variant=decoder=av")
        trained = [cell for cell in cells if cell["trainer"] == "burn" and cell["loader"] == "dataloader"]
        self.assertEqual([cell["num_workers"] for cell in trained], ["0", "1"])

    def test(self):
        getattr(self, f"case_{CASE}")()


if __name__ == "__main__":
    unittest.main()
