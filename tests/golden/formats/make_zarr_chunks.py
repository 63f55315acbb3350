#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes zarr_chunks.txt: the same bytes by each codec of the package numcodecs, which Zarr's chunks go through.

A line each: the codec's name in Zarr, how it was told to work, and the chunk in hexadecimal. The bytes are i * i mod 251,
for i from 0 to 599: zarr_codecs_test.cpp makes them, too.
"""
import pathlib

import numcodecs

DATA = bytes(i * i % 251 for i in range(600))


def codecs():
    yield "gzip", "level-1", numcodecs.GZip(1)
    yield "zlib", "level-1", numcodecs.Zlib(1)
    yield "zstd", "level-0", numcodecs.Zstd()
    yield "zstd", "checksum", numcodecs.Zstd(checksum=True)
    for name in ("lz4", "lz4hc", "zstd", "zlib"):
        for shuffle, said in enumerate(("noshuffle", "shuffle", "bitshuffle")):
            yield "blosc", f"{name}-{said}", numcodecs.Blosc(name, 5, shuffle)
    yield "crc32c", "-", numcodecs.CRC32C(location="end")


lines = [f"{name} {said} {bytes(codec.encode(DATA)).hex()}" for name, said, codec in codecs()]
pathlib.Path(__file__).with_name("zarr_chunks.txt").write_text("\n".join(lines) + "\n")
