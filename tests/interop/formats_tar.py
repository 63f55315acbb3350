# SPDX-License-Identifier: Apache-2.0
"""Python's tarfile (and GNU tar) against feedrate's tar: `formats_tar.py formats_probe`.

WebDataset itself reads shards through tarfile; this test reimplements its rule for keys."""
import io
import re
import shutil
import subprocess
import tarfile

from formats_support import class_folders, encoded, images, run_tests

LONG = "d" * 120 + "/" + "n" * 130


def webdataset_key(name):
    """The same as webdataset.tariterators.base_plus_ext."""
    match = re.match(r"^((?:.*/|)[^.]+)[.]([^/]*)$", name)
    return match.groups() if match else (None, None)


def add(tar, name, data):
    member = tarfile.TarInfo(name)
    member.size = len(data)
    tar.addfile(member, io.BytesIO(data))


def reads_what_tarfile_writes(probe, folder):
    files = images(4)
    keys = ["000001", LONG, "zürich/é", "a.b/c"]
    for name, kind in (("gnu", tarfile.GNU_FORMAT), ("pax", tarfile.PAX_FORMAT)):
        path = folder / f"{name}.tar"
        with tarfile.open(path, "w", format=kind) as tar:
            for number, (key, data) in enumerate(zip(keys, files)):
                add(tar, f"{key}.{'png' if number % 2 else 'jpg'}", data)
                add(tar, f"{key}.cls", str(number).encode())
                add(tar, f"{key}.json", b"{}")
        expected = [encoded(key, number, data) for number, (key, data) in enumerate(zip(keys, files))]
        assert probe.list(path) == ("tar", [], expected), name
        assert probe.list(path) == ("tar", [], expected), "through the index"


def reads_what_gnu_tar_writes(probe, folder):
    if not shutil.which("tar"):
        print("SKIPPED in part: there is no tar on PATH")
        return
    expected, _ = class_folders(folder / "data", images(6))
    for kind in ("gnu", "pax", "ustar", "v7"):
        path = folder / f"{kind}.tar"
        subprocess.run(["tar", "--sort=name", f"--format={kind}", "-cf", path, "-C", folder / "data", "."], check=True)
        listed = [(key, -1, *rest) for key, _, *rest in expected]
        assert probe.list(path) == ("tar", [], listed), kind


def writes_what_tarfile_and_webdataset_read(probe, folder):
    _, by_key = class_folders(folder / "data", images(6))
    long_file = folder / "data/dog" / (LONG + ".jpg")
    long_file.parent.mkdir(parents=True)
    long_file.write_bytes(images(1)[0])
    by_key["dog/" + LONG] = long_file.read_bytes()
    odd = folder / "data/dog/z ü.jpg"
    odd.write_bytes(images(1)[0])
    by_key["dog/z ü"] = odd.read_bytes()
    probe.copy(folder / "data", folder / "out.tar", "tar")
    samples = {}
    with tarfile.open(folder / "out.tar", "r|") as tar:
        for member in tar:
            assert member.isreg() and member.mtime == 0 and member.uid == 0, member.name
            key, ext = webdataset_key(member.name)
            samples.setdefault(key, {})[ext] = tar.extractfile(member).read()
    assert {key: sample.get("jpg", sample.get("png")) for key, sample in samples.items()} == by_key
    for key, sample in samples.items():
        assert int(sample["cls"]) == (0 if key.startswith("cat/") else 1)
    assert (folder / "out.tar.classes.txt").read_text() == "cat\ndog\n"


def survives_the_way_there_and_back(probe, folder):
    class_folders(folder / "data", images(6))
    original = probe.list(folder / "data")
    probe.copy(folder / "data", folder / "shards", "tar")
    probe.copy(folder / "shards", folder / "back", "folder")
    assert probe.list(folder / "back") == original


def refuses_a_compressed_tar(probe, folder):
    with tarfile.open(folder / "a.tar.gz", "w:gz") as tar:
        add(tar, "1.jpg", images(1)[0])
    assert "gunzip" in probe.error(folder / "a.tar.gz")


run_tests(reads_what_tarfile_writes, reads_what_gnu_tar_writes, writes_what_tarfile_and_webdataset_read,
          survives_the_way_there_and_back, refuses_a_compressed_tar)
