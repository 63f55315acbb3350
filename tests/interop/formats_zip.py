# SPDX-License-Identifier: Apache-2.0
"""Python's zipfile and Info-ZIP against feedrate's ZIP: `formats_zip.py formats_probe`."""
import shutil
import subprocess
import zipfile

from formats_support import class_folders, encoded, images, run_tests


def reads_what_zipfile_writes(probe, folder):
    files = images(4)
    names = ["cat/1.jpg", "cat/zürich é.png", "dog/a.b.jpg", "dog/new/x.png"]
    with zipfile.ZipFile(folder / "a.zip", "w", zipfile.ZIP_STORED) as archive:
        for name, data in zip(names, files):
            archive.writestr(name, data)
    expected = [encoded(name.rpartition(".")[0], int(name.startswith("dog")), data) for name, data in zip(names, files)]
    assert probe.list(folder / "a.zip") == ("zip", ["cat", "dog"], expected)


def reads_zip64_and_streamed_members(probe, folder):
    data = images(1)[0]
    with open(folder / "a.zip", "wb") as file, zipfile.ZipFile(Unseekable(file), "w") as archive:
        with archive.open("1.jpg", "w", force_zip64=True) as member:
            member.write(data)
    assert probe.list(folder / "a.zip") == ("zip", [], [encoded("1", -1, data)])


class Unseekable:
    """Makes zipfile write sizes and checksum into a descriptor behind the data."""

    def __init__(self, file):
        self.write, self.flush = file.write, file.flush


def reads_what_info_zip_writes(probe, folder):
    if not shutil.which("zip"):
        print("SKIPPED in part: there is no zip on PATH")
        return
    expected, _ = class_folders(folder / "data", images(6))
    subprocess.run(["zip", "-q", "-0", "-r", folder / "a.zip", "."], cwd=folder / "data", check=True)
    assert probe.list(folder / "a.zip") == ("zip", ["cat", "dog"], expected)


def writes_what_zipfile_and_info_zip_read(probe, folder):
    _, by_key = class_folders(folder / "data", images(6))
    (folder / "data/dog/z ü.jpg").write_bytes(images(1)[0])
    by_key["dog/z ü"] = images(1)[0]
    probe.copy(folder / "data", folder / "out.zip", "zip")
    with zipfile.ZipFile(folder / "out.zip") as archive:
        assert archive.testzip() is None
        files = [member for member in archive.infolist() if not member.is_dir()]
        assert all(member.compress_type == zipfile.ZIP_STORED for member in files)
        assert {member.filename.rpartition(".")[0]: archive.read(member) for member in files} == by_key
        assert [member.filename for member in archive.infolist() if member.is_dir()] == ["cat/", "dog/"]
        archive.extractall(folder / "extracted")
    assert probe.list(folder / "extracted")[1:] == probe.list(folder / "out.zip")[1:]
    if not shutil.which("unzip"):
        print("SKIPPED in part: there is no unzip on PATH")
        return
    subprocess.run(["unzip", "-tqq", folder / "out.zip"], check=True)


def survives_the_way_there_and_back(probe, folder):
    class_folders(folder / "data", images(6))
    original = probe.list(folder / "data")
    probe.copy(folder / "data", folder / "a.zip", "zip")
    probe.copy(folder / "a.zip", folder / "back", "folder")
    assert probe.list(folder / "back") == original


def says_how_to_pack_a_compressed_archive(probe, folder):
    with zipfile.ZipFile(folder / "a.zip", "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("1.jpg", images(1)[0])
    assert "zip -0 -r" in probe.error(folder / "a.zip")


run_tests(reads_what_zipfile_writes, reads_zip64_and_streamed_members, reads_what_info_zip_writes,
          writes_what_zipfile_and_info_zip_read, survives_the_way_there_and_back, says_how_to_pack_a_compressed_archive)
