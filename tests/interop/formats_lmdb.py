# SPDX-License-Identifier: Apache-2.0
"""py-lmdb against feedrate's LMDB: `formats_lmdb.py formats_probe`."""
import json
import pickle

from formats_support import class_folders, encoded, images, require, run_tests

lmdb = require("lmdb")


def write(path, pairs, **options):
    with lmdb.open(str(path), map_size=1 << 24, **options) as env, env.begin(write=True) as txn:
        for key, value in pairs:
            txn.put(key, value)


def reads_images_under_integer_keys(probe, folder):
    files = images(12)
    write(folder / "a.lmdb", [(str(i).encode(), data) for i, data in enumerate(files)] + [(b"length", b"12")])
    expected = [encoded(str(i), -1, data) for i, data in enumerate(files)]
    assert probe.list(folder / "a.lmdb") == ("lmdb", [], expected)


def reads_images_under_names_in_one_file(probe, folder):
    files = images(3)
    write(folder / "a.lmdb", [(f"n01/{i}.JPEG".encode(), data) for i, data in enumerate(files)], subdir=False)
    expected = [encoded(f"n01/{i}.JPEG", -1, data) for i, data in enumerate(files)]
    assert probe.list(folder / "a.lmdb") == ("lmdb", [], expected)


def reads_a_database_from_which_records_were_removed(probe, folder):
    files = images(40)
    write(folder / "a.lmdb", [(f"{i:03}".encode(), data) for i, data in enumerate(files)])
    with lmdb.open(str(folder / "a.lmdb"), map_size=1 << 24) as env, env.begin(write=True) as txn:
        for i in range(0, 40, 3):
            txn.delete(f"{i:03}".encode())
    expected = [encoded(f"{i:03}", -1, data) for i, data in enumerate(files) if i % 3]
    assert probe.list(folder / "a.lmdb") == ("lmdb", [], expected)


def refuses_pickled_records(probe, folder):
    write(folder / "a.lmdb", [(b"0", pickle.dumps((images(1)[0], 3)))])
    assert "pickle" in probe.error(folder / "a.lmdb")


def refuses_named_databases(probe, folder):
    with lmdb.open(str(folder / "a.lmdb"), map_size=1 << 24, max_dbs=2) as env:
        images_db = env.open_db(b"images")
        with env.begin(write=True, db=images_db) as txn:
            txn.put(b"0", images(1)[0])
    assert 'has a named database, "images"' in probe.error(folder / "a.lmdb")


def writes_what_py_lmdb_reads(probe, folder):
    expected, by_key = class_folders(folder / "data", images(6))
    probe.copy(folder / "data", folder / "out.lmdb", "lmdb")
    with lmdb.open(str(folder / "out.lmdb"), readonly=True, lock=False) as env, env.begin() as txn:
        manifest = json.loads(txn.get(b"__feedrate__"))
        assert manifest == {"version": 1, "records": 6, "class_names": ["cat", "dog"]}
        for index, record in enumerate(expected):
            value = txn.get(b"%010d" % index)
            length = int.from_bytes(value[4:8], "little")
            label = int.from_bytes(value[8:16], "little", signed=True)
            key, data = value[16:16 + length].decode(), value[16 + length:]
            assert value[:4] == b"FRR1" and encoded(key, label, data) == record
            assert by_key[key] == data


run_tests(reads_images_under_integer_keys, reads_images_under_names_in_one_file,
          reads_a_database_from_which_records_were_removed, refuses_pickled_records, refuses_named_databases,
          writes_what_py_lmdb_reads)
