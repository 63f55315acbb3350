# SPDX-License-Identifier: Apache-2.0
"""Shared by the interop tests of formats: the probe, images, temporary folders."""
import importlib
import io
import os
import pathlib
import subprocess
import sys
import tempfile
import zlib

SKIPPED = 77


def require(*modules):
    """Returns the modules. If one is missing, reports the test as skipped, with the reason, and exits."""
    found = []
    for name in modules:
        try:
            found.append(importlib.import_module(name))
        except ImportError as error:
            print(f"SKIPPED: {sys.executable} has no {name} ({error}); install it to run this test")
            sys.exit(SKIPPED)
    return found if len(found) > 1 else found[0]


def images(count):
    """Real JPEG and PNG files, alternating and all different."""
    image = require("PIL.Image")
    files = []
    for number in range(count):
        picture = image.new("RGB", (20 + number, 30), (number * 20 % 256, 99, 7))
        out = io.BytesIO()
        picture.save(out, "PNG" if number % 2 else "JPEG")
        files.append(out.getvalue())
    return files


def extension(data):
    return "png" if data.startswith(b"\x89PNG") else "jpg"


class Probe:
    def __init__(self):
        self.program = sys.argv[1]

    def run(self, *arguments, variables=None):
        return subprocess.run([self.program, *map(str, arguments)], capture_output=True, text=True, env={**os.environ, **(variables or {})})

    def list(self, path, verb="list", variables=None):
        """(format, class names, [(key, label, shape, bytes, crc)])"""
        result = self.run(verb, path, variables=variables)
        assert result.returncode == 0, result.stderr
        lines = [line.split("\t") for line in result.stdout.splitlines()]
        names = [line[1] for line in lines[1:] if line[0] == "class"]
        records = [(key, int(label), shape, int(size), crc) for key, label, shape, size, crc in
                   (line for line in lines[1:] if line[0] != "class")]
        return lines[0][0], names, records

    def error(self, path, verb="list", variables=None):
        result = self.run(verb, path, variables=variables)
        assert result.returncode == 1, (result.returncode, result.stdout)
        return result.stderr

    def copy(self, source, target, name, *options):
        result = self.run("copy", source, target, name, *options)
        assert result.returncode == 0, result.stderr


def encoded(key, label, data):
    """The line of Probe.list() for an encoded record."""
    return key, label, "0x0x0", len(data), f"{zlib.crc32(data):08x}"


def pixels(key, label, array):
    data = array.tobytes()
    shape = "x".join(map(str, array.shape if array.ndim == 3 else (*array.shape, 1)))
    return key, label, shape, len(data), f"{zlib.crc32(data):08x}"


def class_folders(root, files):
    """Writes an ImageFolder; returns the records that should be read, and their bytes by key."""
    expected, by_key = [], {}
    for number, data in enumerate(files):
        name = "cat" if number < len(files) // 2 else "dog"
        path = root / name / f"{number:04}.{extension(data)}"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
        key = f"{name}/{number:04}"
        expected.append(encoded(key, ["cat", "dog"].index(name), data))
        by_key[key] = data
    return expected, by_key


def run_tests(*tests):
    for test in tests:
        with tempfile.TemporaryDirectory() as folder:
            test(Probe(), pathlib.Path(folder))
        print("ok", test.__name__)
