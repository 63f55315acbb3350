# SPDX-License-Identifier: Apache-2.0
"""moto's S3 server and boto3's uploads against feedrate's reading: `formats_moto.py formats_probe` (pip install 'moto[server]')."""
import os

from formats_support import class_folders, images, require, run_tests

moto_server, boto3, numpy = require("moto.server", "boto3", "numpy")
KEYS = {"AWS_ACCESS_KEY_ID": "AKIDEXAMPLE", "AWS_SECRET_ACCESS_KEY": "secret/+=", "AWS_REGION": "us-east-1", "no_proxy": "127.0.0.1",
        "AWS_SHARED_CREDENTIALS_FILE": "/dev/null", "AWS_CONFIG_FILE": "/dev/null"}


class Bucket:
    def __init__(self):
        self.server = moto_server.ThreadedMotoServer(port=0, verbose=False)
        self.server.start()
        host, port = self.server.get_host_and_port()
        os.environ.update(KEYS, AWS_ENDPOINT_URL=f"http://{host}:{port}")
        self.client = boto3.client("s3", region_name="us-east-1")
        self.client.create_bucket(Bucket="photos")

    def upload(self, folder, **options):
        for file in folder.rglob("*"):
            if file.is_file():
                self.client.upload_file(str(file), "photos", str(file.relative_to(folder)), **options)

    def stop(self):
        self.server.stop()


def in_a_bucket(test):
    def run(probe, folder):
        bucket = Bucket()
        try:
            test(probe, folder, bucket)
        finally:
            bucket.stop()

    run.__name__ = test.__name__
    return run


@in_a_bucket
def reads_each_format_as_from_files(probe, folder, bucket):
    class_folders(folder / "images", images(12))
    (folder / "served").mkdir()
    class_folders(folder / "served/images", images(12))
    for number in range(12):
        file = folder / f"served/arrays/cat/{number}.npy"
        file.parent.mkdir(parents=True, exist_ok=True)
        numpy.save(file, numpy.full((5, 4, 3), number, "uint8"))
    for name, format_ in {"a.tar": "tar", "a.tfrecord": "tfrecord", "a.zip": "zip"}.items():
        probe.copy(folder / "images", folder / "served" / name, format_)
    probe.copy(folder / "served/arrays", folder / "served/a.zarr", "zarr")
    bucket.upload(folder / "served")
    for name in ("images", "arrays", "a.tar", "a.tfrecord", "a.zip", "a.zarr"):
        assert probe.list(f"s3://photos/{name}") == probe.list(folder / "served" / name), name


@in_a_bucket
def reads_keys_with_spaces_and_more_than_a_page_of_them(probe, folder, bucket):
    image = images(1)[0]
    for number in range(1_100):
        bucket.client.put_object(Bucket="photos", Key=f"many/a class +%/{number:05} é.jpg", Body=image)
    _, classes, records = probe.list("s3://photos/many")
    assert classes == ["a class +%"], classes
    assert [record[0] for record in records] == [f"a class +%/{number:05} é" for number in range(1_100)]


@in_a_bucket
def reads_what_was_uploaded_in_parts_and_with_checksums(probe, folder, bucket):
    class_folders(folder / "images", images(40))
    (folder / "served").mkdir()
    probe.copy(folder / "images", folder / "served/a.tar", "tar")
    parts = boto3.s3.transfer.TransferConfig(multipart_threshold=1, multipart_chunksize=5 << 20)
    for algorithm in ("CRC32", "SHA256"):
        bucket.upload(folder / "served", ExtraArgs={"ChecksumAlgorithm": algorithm}, Config=parts)
        assert probe.list("s3://photos/a.tar") == probe.list(folder / "served/a.tar"), algorithm
    bucket.upload(folder / "images", ExtraArgs={"ChecksumAlgorithm": "CRC32"})
    assert len(probe.list("s3://photos/dog")[2]) == 20


@in_a_bucket
def says_what_is_not_there(probe, folder, bucket):
    assert "s3://photos/none.tar" in probe.run("list", "s3://photos/none.tar").stderr
    assert "bucket" in probe.run("list", "s3://none/a.tar").stderr


run_tests(reads_each_format_as_from_files, reads_keys_with_spaces_and_more_than_a_page_of_them,
          reads_what_was_uploaded_in_parts_and_with_checksums, says_what_is_not_there)
