# SPDX-License-Identifier: Apache-2.0
"""TensorFlow and the Python package tfrecord against feedrate's TFRecord: `formats_tfrecord.py formats_probe`.

Each is used if installed (pip install tfrecord, or tensorflow-cpu); without both the test is skipped."""
import importlib.util
import sys

from formats_support import SKIPPED, class_folders, encoded, extension, images, run_tests


class Package:
    @staticmethod
    def write(path, examples):
        from tfrecord.writer import TFRecordWriter

        writer = TFRecordWriter(str(path))
        for example in examples:
            writer.write({name: (value, "int" if isinstance(value, int) else "byte") for name, value in example.items()})
        writer.close()

    @staticmethod
    def read(path, index=None):
        from tfrecord.reader import tfrecord_loader

        # With an index a single reader begins at a random record, so two readers are used.
        for shard in ((0, 2), (1, 2)) if index else (None,):
            for example in tfrecord_loader(str(path), index and str(index), shard=shard):
                yield {name: value if isinstance(value, bytes) else value.item() for name, value in example.items()}


class TensorFlow:
    @staticmethod
    def write(path, examples):
        import tensorflow as tf

        def feature(value):
            if isinstance(value, int):
                return tf.train.Feature(int64_list=tf.train.Int64List(value=[value]))
            return tf.train.Feature(bytes_list=tf.train.BytesList(value=[value]))

        with tf.io.TFRecordWriter(str(path)) as writer:
            for example in examples:
                features = {name: feature(value) for name, value in example.items()}
                writer.write(tf.train.Example(features=tf.train.Features(feature=features)).SerializeToString())

    @staticmethod
    def read(path, index=None):
        import tensorflow as tf

        for record in tf.data.TFRecordDataset(str(path)):  # checks both checksums
            example = tf.train.Example.FromString(record.numpy())
            yield {name: (list(kind.int64_list.value) or list(kind.bytes_list.value))[0]
                   for name, kind in example.features.feature.items()}


TOOLS = [tool for module, tool in (("tfrecord", Package), ("tensorflow", TensorFlow)) if importlib.util.find_spec(module)]


def reads_what_the_tools_write(probe, folder):
    files = images(6)
    for tool in TOOLS:
        path = folder / f"{tool.__name__}-00000-of-00001"
        tool.write(path, [{"image/height": 30, "image/format": extension(data).encode(), "image/encoded": data,
                           "image/class/label": number, "image/class/text": "zürich".encode()}
                          for number, data in enumerate(files)])
        expected = [encoded(f"{number:06}", number, data) for number, data in enumerate(files)]
        assert probe.list(path) == ("tfrecord", [], expected), tool
        assert probe.list(path) == ("tfrecord", [], expected), "through the index"
        error = damaged(path, probe)
        assert "record 2 at byte" in error and "checksum of the record is wrong" in error, error


def damaged(path, probe):
    index = path.with_name(path.name + ".idx")
    offset, size = map(int, index.read_text().splitlines()[2].split())
    content = bytearray(path.read_bytes())
    content[offset + size // 2] ^= 1
    path.write_bytes(content)
    return probe.error(path)


def writes_what_the_tools_read(probe, folder):
    expected, by_key = class_folders(folder / "data", images(6))
    probe.copy(folder / "data", folder / "out.tfrecord", "tfrecord")
    assert probe.list(folder / "out.tfrecord") == ("tfrecord", ["cat", "dog"], expected)
    for tool in TOOLS:
        for index in (None, folder / "out.tfrecord.idx"):
            found = list(tool.read(folder / "out.tfrecord", index))
            assert [example["image/encoded"] for example in found] == list(by_key.values()), tool
            for example, (key, label, *_) in zip(found, expected):
                assert example["feedrate/key"].decode() == key
                assert example["image/class/label"] == label
                assert example["image/class/text"].decode() == key.split("/")[0]
                assert example["image/format"] == (b"PNG" if extension(example["image/encoded"]) == "png" else b"JPEG")
                assert example["image/filename"].decode() == key.split("/")[1] + "." + extension(example["image/encoded"])


def makes_the_index_that_the_package_makes(probe, folder):
    if Package not in TOOLS:
        print("SKIPPED in part: there is no package tfrecord")
        return
    from tfrecord.tools.tfrecord2idx import create_index

    class_folders(folder / "data", images(6))
    probe.copy(folder / "data", folder / "out.tfrecord", "tfrecord")
    probe.list(folder / "out.tfrecord")
    create_index(str(folder / "out.tfrecord"), str(folder / "theirs"))
    assert (folder / "out.tfrecord.idx").read_text() == (folder / "theirs").read_text()


def writes_records_without_label(probe, folder):
    (folder / "data").mkdir()
    (folder / "data/1.jpg").write_bytes(images(1)[0])
    probe.copy(folder / "data", folder / "shards", "tfrecord")
    shard = folder / "shards/shards-00000-of-00001.tfrecord"
    for tool in TOOLS:
        assert [sorted(example) for example in tool.read(shard)] == [
            ["feedrate/key", "image/encoded", "image/filename", "image/format"]], tool
    probe.copy(folder / "shards", folder / "back", "folder")
    assert probe.list(folder / "back") == probe.list(folder / "data")


if not TOOLS:
    print(f"SKIPPED: {sys.executable} has neither tfrecord nor tensorflow; pip install tfrecord to run this test")
    sys.exit(SKIPPED)
run_tests(reads_what_the_tools_write, writes_what_the_tools_read, makes_the_index_that_the_package_makes,
          writes_records_without_label)
