#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A dataset of another package, read by python/feedrate/adapters and by the package's own plain loop: order, content and count.

    adapters_test.py <case>

Exits 77 if a package of requirements.txt is missing.
"""
import hashlib
import importlib
import io
import pathlib
import sys
import tempfile
import types
import unittest
from unittest import mock

CASE = sys.argv[1]  # kept in sys.argv for spawned workers
PACKAGES = {
    "huggingface": ["datasets"], "huggingface_streaming": ["datasets"], "lance": ["lance"], "litdata": ["litdata"], "mds": ["streaming"],
    "parquet": ["pyarrow"], "records": [], "tokens": [], "video_av": ["av"], "video_torchcodec": ["av", "torchcodec.decoders"],
    "webdataset": ["webdataset"], "zarr": ["zarr"],
}[CASE]
for package in [*PACKAGES, "torch", "numpy", "PIL"]:
    try:
        importlib.import_module(package)
    except Exception as error:
        print(f"skipped: needs the package {package}: {error}")
        sys.exit(77)

import numpy  # noqa: E402
import torch  # noqa: E402
from PIL import Image  # noqa: E402
from torch.utils.data import DataLoader  # noqa: E402

from feedrate.adapters.images import Encoded  # noqa: E402
from feedrate.failures import Mistake, MissingPackage  # noqa: E402

ADAPTER = importlib.import_module(f"feedrate.adapters.{CASE.split('_')[0]}")
COUNT = 61
# SHA-256 of the pixels, C×H×W, and the labels in order, of images().
GOLDEN = "6d8a1efaec69c817716c534bc3818e3bdb6fcee2f9ceaafe21acb0062345f260"


def images():
    """Samples as PNG files, which keep their pixels."""
    random = numpy.random.RandomState(7)
    for index in range(COUNT):
        file = io.BytesIO()
        Image.fromarray(random.randint(0, 256, (12, 16, 3), dtype=numpy.uint8)).save(file, "PNG")
        yield Encoded(file.getvalue(), index % 5)


def digest(samples):
    found = hashlib.sha256()
    for pixels, label in samples:
        found.update(numpy.ascontiguousarray(pixels).tobytes())
        found.update(int(label).to_bytes(8, "little"))
    return found.hexdigest()


def pixels_of(data):
    return numpy.asarray(Image.open(io.BytesIO(data)).convert("RGB")).transpose(2, 0, 1)


def loaded(dataset, **arguments):
    """(pixels C×H×W, label) in the order of DataLoader."""
    if CASE == "lance" and arguments.get("num_workers"):
        arguments["multiprocessing_context"] = "spawn"
    batches = DataLoader(dataset, batch_size=8, **arguments)
    return [(pixels.numpy(), int(label)) for images, labels in batches for pixels, label in zip(images, labels)]


class Folder(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.path = str(pathlib.Path(folder.name) / "data")

    def write(self):
        ADAPTER.write(images(), self.path)

    def write_arrow(self):
        import datasets

        files, labels = zip(*images())
        columns = {"image": [{"bytes": data, "path": None} for data in files], "label": labels}
        features = datasets.Features({"image": datasets.Image(), "label": datasets.Value("int64")})
        datasets.Dataset.from_dict(columns, features=features).save_to_disk(self.path)

    def check(self, plain, orders=True, **options):
        """Compares with `plain`, the samples of the package's own loop."""
        self.assertEqual(len(plain), COUNT)
        self.assertEqual(digest(plain), GOLDEN)
        self.assertEqual(digest(loaded(ADAPTER.open(self.path, **options))), GOLDEN)
        for workers in (1, 3):
            with self.subTest(workers=workers):
                self.assertEqual(self.as_set(loaded(ADAPTER.open(self.path, **options), num_workers=workers)), self.as_set(plain))
        if orders:
            shuffled = loaded(ADAPTER.open(self.path, **options, shuffle=orders))
            self.assertEqual(self.as_set(shuffled), self.as_set(plain))
            self.assertNotEqual(digest(shuffled), GOLDEN)

    def as_set(self, samples):
        return sorted((pixels.tobytes(), label) for pixels, label in samples)


class Cases(Folder):
    def case_huggingface(self):
        import datasets

        self.write_arrow()
        rows = datasets.load_from_disk(self.path)
        plain = [(numpy.asarray(row["image"].convert("RGB")).transpose(2, 0, 1), row["label"]) for row in rows]
        self.check(plain, orders=False)
        self.assertEqual(self.as_set(loaded(ADAPTER.open(self.path), shuffle=True)), self.as_set(plain))
        # The rows of a folder of images have paths.
        files = []
        for index, encoded in enumerate(images()):
            files.append(pathlib.Path(self.path) / f"{index}.png")
            files[-1].write_bytes(encoded.data)
        named = {"image": [{"bytes": None, "path": str(file)} for file in files], "label": rows["label"]}
        of_files = str(pathlib.Path(self.path) / "of files")
        datasets.Dataset.from_dict(named, features=rows.features).save_to_disk(of_files)
        self.assertEqual(digest(loaded(ADAPTER.open(of_files))), GOLDEN)

    def case_huggingface_streaming(self):
        import datasets

        self.write_arrow()
        rows = datasets.load_from_disk(self.path).to_iterable_dataset()
        plain = [(numpy.asarray(row["image"].convert("RGB")).transpose(2, 0, 1), row["label"]) for row in rows]
        self.check(plain, orders=False, streaming=True)

    def case_lance(self):
        import lance

        self.write()
        rows = lance.dataset(self.path).to_table().to_pylist()
        self.check([(pixels_of(row["image"]), row["label"]) for row in rows], orders=False)

    def case_litdata(self):
        import litdata

        litdata.optimize(fn=_of_litdata, inputs=list(range(COUNT)), output_dir=self.path, chunk_size=8, num_workers=1)
        rows = litdata.StreamingDataset(self.path)
        self.check([(pixels_of(row["image"]), row["label"]) for row in rows])

    def case_mds(self):
        import streaming

        self.write()
        rows = streaming.StreamingDataset(local=self.path, batch_size=1, shuffle=False)
        self.check([(pixels_of(row["image"]), row["label"]) for row in rows])

    def case_parquet(self):
        import pyarrow.parquet

        ADAPTER.write(images(), self.path, row_group=9)
        rows = pyarrow.parquet.read_table(self.path).to_pylist()
        self.assertEqual(pyarrow.parquet.read_metadata(self.path).num_row_groups, 7)
        self.check([(pixels_of(row["image"]), row["label"]) for row in rows])
        dataset = ADAPTER.open(self.path, shuffle=True)
        loader = DataLoader(dataset, batch_size=8, num_workers=2)
        first, second = ([tuple(labels.tolist()) for _, labels in loader] for _ in range(2))
        self.assertNotEqual(first, second)  # each epoch has its own order

    def case_records(self):
        folder = pathlib.Path(self.path)
        folder.mkdir()
        rows = ["filename,label"]
        for index, encoded in enumerate(images()):
            (folder / f"{index:03}.png").write_bytes(encoded.data)
            rows.append(f"{index:03}.png,{encoded.label}")
        (folder / "labels.csv").write_text("\n".join(rows) + "\n")
        plain = [(pixels_of(file.read_bytes()), index % 5) for index, file in enumerate(sorted(folder.glob("*.png")))]
        self.check(plain, orders=False)
        numpy.save(folder / "pixels.npy", numpy.zeros((2, 2, 3), numpy.uint8))
        (folder / "labels.csv").unlink()
        with self.assertRaisesRegex(Mistake, "pixels.npy.*tfrecord"):
            ADAPTER.open(self.path, format="npy")[0]

    def case_webdataset(self):
        import webdataset

        folder = pathlib.Path(self.path)
        folder.mkdir()
        with webdataset.ShardWriter(str(folder / "%02d.tar"), maxcount=10, verbose=0) as writer:
            for index, encoded in enumerate(images()):
                writer.write({"__key__": f"{index:05}", "png": encoded.data, "cls": encoded.label})
        tars = [str(tar) for tar in sorted(folder.iterdir())]
        rows = webdataset.WebDataset(tars, shardshuffle=False).decode("pil").to_tuple("png", "cls")
        plain = [(numpy.asarray(image.convert("RGB")).transpose(2, 0, 1), label) for image, label in rows]
        self.check(plain, orders=16)
        worker = types.SimpleNamespace(id=0, num_workers=9, seed=0)
        with mock.patch("torch.utils.data.get_worker_info", return_value=worker), self.assertWarnsRegex(UserWarning, "2 of 9 workers"):
            next(iter(ADAPTER.open(self.path)))

    def case_zarr(self):
        import zarr

        pixels, labels = zip(*((pixels_of(data).transpose(1, 2, 0), label) for data, label in images()))
        with_chunks = {"image": (numpy.stack(pixels), (8, 12, 16, 3)), "label": (numpy.array(labels), (COUNT,))}
        group = zarr.open_group(self.path, mode="w")
        create = group.create_array if hasattr(group, "create_array") else group.create_dataset
        for name, (values, chunks) in with_chunks.items():
            create(name, shape=values.shape, chunks=chunks, dtype=values.dtype)[:] = values
        group = zarr.open_group(self.path, mode="r")
        plain = list(zip(group["image"][:].transpose(0, 3, 1, 2), group["label"][:]))
        self.check(plain, orders=False)
        self.assertEqual(self.as_set(loaded(ADAPTER.open(self.path), shuffle=True)), self.as_set(plain))
        shape, _ = ADAPTER.open(self.path, transform="torch:numel")[0]
        self.assertEqual(shape, 12 * 16 * 3)

    def case_tokens(self):
        tokens = numpy.random.RandomState(7).randint(0, 50257, 1000).astype(numpy.uint16)
        tokens.tofile(self.path)
        dataset = ADAPTER.open(self.path, length=64)
        self.assertEqual(len(dataset), 15)
        x = torch.cat([x for x, _ in DataLoader(dataset, batch_size=4, num_workers=2)])
        y = torch.cat([y for _, y in DataLoader(dataset, batch_size=4)])
        self.assertEqual(x.flatten().tolist(), tokens[: 15 * 64].tolist())
        self.assertEqual(y.flatten().tolist(), tokens[1 : 15 * 64 + 1].tolist())
        self.assertEqual(len(ADAPTER.open(self.path, length=999)), 1)

    def case_video_av(self):
        self.check_video("av")

    def case_video_torchcodec(self):
        try:
            self.check_video("torchcodec")
        except MissingPackage as error:
            self.assertIn("FFmpeg", str(error))
            self.skipTest(str(error))

    def check_video(self, decoder):
        import av

        folder = pathlib.Path(self.path)
        folder.mkdir()
        for number in range(2):
            write_video(folder / f"{number}.mp4", number)
        dataset = ADAPTER.open(self.path, frames=3, clips=4, decoder=decoder)
        self.assertEqual(len(dataset), 8)
        clips = [(clip, int(file)) for clip, file in DataLoader(dataset, batch_size=None, num_workers=1)]
        for number, (clip, file) in enumerate(clips):
            with av.open(str(folder / f"{file}.mp4")) as container:
                frames = [frame.to_ndarray(format="rgb24") for frame in container.decode(video=0)]
            first = number % 4 * 5
            plain = numpy.stack(frames[first : first + 3]).transpose(0, 3, 1, 2)
            self.assertEqual(file, number // 4)
            # Another decoder may round colors differently; neighboring frames differ by 12.
            self.assertLessEqual(int(numpy.abs(clip.numpy().astype(int) - plain.astype(int)).max()), 3)
        with self.assertRaisesRegex(Mistake, "0.mp4: has 20 frames, and a clip 21"):
            ADAPTER.open(self.path, frames=21, decoder=decoder)[0]
        # Matroska stores no frame count; its last clip must differ from its first one.
        matroska = folder / "matroska"
        matroska.mkdir()
        write_video(matroska / "0.mkv", 0)
        last, _ = ADAPTER.open(str(matroska), frames=3, clips=4, decoder=decoder)[3]
        self.assertAlmostEqual(float(last[0].float().mean()), 12 * 14.5, delta=9)

    def test(self):
        getattr(self, f"case_{CASE}")()


def write_video(path, dark):
    """Writes 20 frames, every fifth a key frame; frame k has the gray value 12 k + `dark`."""
    import av

    with av.open(str(path), "w") as container:
        stream = container.add_stream("mpeg4", rate=25)
        stream.width, stream.height, stream.gop_size = 64, 48, 5
        for number in range(20):
            frame = av.VideoFrame.from_ndarray(numpy.full((48, 64, 3), 12 * number + dark, numpy.uint8), format="rgb24")
            container.mux(stream.encode(frame))
        container.mux(stream.encode(None))


def _of_litdata(index):
    for number, encoded in enumerate(images()):
        if number == index:
            return {"image": encoded.data, "label": encoded.label}
    return None


if __name__ == "__main__":
    result = unittest.main(argv=sys.argv[:1], exit=False).result
    for _, reason in result.skipped:
        print(f"skipped: {reason}")
    sys.exit(not result.wasSuccessful() or (77 if result.skipped else 0))
