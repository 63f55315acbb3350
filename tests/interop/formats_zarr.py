# SPDX-License-Identifier: Apache-2.0
"""zarr-python, version 2 or 3, against feedrate's Zarr: `formats_zarr.py formats_probe`."""
from formats_support import pixels, require, run_tests

zarr, numcodecs, numpy = require("zarr", "numcodecs", "numpy")
IS_3 = int(zarr.__version__.split(".")[0]) >= 3
FORMATS = (2, 3) if IS_3 else (2,)


def some_pixels(count=7):
    return numpy.random.default_rng(7).integers(0, 9, (count, 8, 9, 3), dtype=numpy.uint8)


def group_at(path, version):
    group = zarr.open_group(str(path), mode="w", zarr_format=version) if IS_3 else zarr.open_group(str(path), mode="w")
    group.attrs["class_names"] = ["zebra", "ü"]
    return group


def create(group, name, array, chunks, **options):
    make = group.create_array if IS_3 else group.create_dataset
    made = make(name, shape=array.shape, chunks=chunks, dtype=array.dtype, **options)
    made[:] = array
    return made


def codecs_of_v2():
    yield "default", {}
    key = "compressors" if IS_3 else "compressor"
    yield "none", {key: None}
    for codec in (numcodecs.GZip(1), numcodecs.Zlib(9), numcodecs.Zstd(3)):
        yield repr(codec), {key: codec}
    for name in numcodecs.blosc.list_compressors():
        for shuffle in (numcodecs.Blosc.NOSHUFFLE, numcodecs.Blosc.SHUFFLE, numcodecs.Blosc.BITSHUFFLE):
            yield f"blosc {name} {shuffle}", {key: numcodecs.Blosc(name, 5, shuffle)}


def codecs_of_v3():
    from zarr.codecs import BloscCodec, Crc32cCodec, GzipCodec, ShardingCodec, ZstdCodec

    yield "default", {}
    yield "none", {"compressors": None}
    for codec in (GzipCodec(level=1), ZstdCodec(level=3), ZstdCodec(checksum=True), Crc32cCodec()):
        yield repr(codec), {"compressors": codec}
    yield "zstd, crc32c", {"compressors": [ZstdCodec(), Crc32cCodec()]}
    yield "crc32c, gzip", {"compressors": [Crc32cCodec(), GzipCodec()]}
    for name in numcodecs.blosc.list_compressors():
        for shuffle in ("noshuffle", "shuffle", "bitshuffle"):
            yield f"blosc {name} {shuffle}", {"compressors": BloscCodec(cname=name, shuffle=shuffle)}
    yield "shards", {"shards": (6, 8, 9, 3)}
    yield "shards of blosc", {"shards": (6, 8, 9, 3), "compressors": BloscCodec(cname="lz4")}
    yield "shards of plain chunks", {"shards": (6, 8, 9, 3), "compressors": None}
    for location in ("start", "end"):
        for checksum in (True, False):
            options = {} if checksum else {"index_codecs": [zarr.codecs.BytesCodec()]}
            for compressor in ([], [ZstdCodec()]):
                yield f"index at the {location}, {checksum}, {compressor}", {
                    "chunks": (6, 8, 9, 3), "compressors": None,
                    "serializer": ShardingCodec(chunk_shape=(3, 8, 9, 3), index_location=location,
                                                codecs=[zarr.codecs.BytesCodec(), *compressor], **options)}


def reads_each_codec(probe, folder):
    array, labels = some_pixels(), numpy.arange(-1, 6)
    expected = [pixels(f"{i:06}", int(labels[i]), array[i]) for i in range(7)]
    count = 0
    for version in FORMATS:
        for name, options in codecs_of_v3() if version == 3 else codecs_of_v2():
            path = folder / f"{count}.zarr"
            group = group_at(path, version)
            create(group, "image", array, **{"chunks": (3, 8, 9, 3), **options})
            create(group, "label", labels, (4,))
            assert probe.list(path) == ("zarr", ["zebra", "ü"], expected), (version, name)
            count += 1
    print(f"   {count} ways of zarr {zarr.__version__}, formats {FORMATS}")


def reads_chunks_that_are_not_stored(probe, folder):
    array = numpy.zeros((7, 8, 9, 3), "uint8")
    array[4:] = some_pixels(3)
    for version in FORMATS:
        path = folder / f"{version}.zarr"
        group = group_at(path, version)
        options = {"config": {"write_empty_chunks": False}} if IS_3 else {"write_empty_chunks": False}
        create(group, "image", array, (2, 8, 9, 3), fill_value=0, **options)
        create(group, "label", numpy.zeros(7, "int32"), (4,), fill_value=0, **options)
        assert len(list(path.glob("image/**/*0.0.0" if version == 2 else "image/c/*/0/0/0"))) == 2
        assert probe.list(path)[2] == [pixels(f"{i:06}", 0, array[i]) for i in range(7)], version


def reads_shards_of_which_some_are_not_stored(probe, folder):
    if not IS_3:
        return
    array = numpy.zeros((12, 8, 9, 3), "uint8")
    array[2] = some_pixels(1)[0]
    group = group_at(folder / "a.zarr", 3)
    create(group, "image", array, (2, 8, 9, 3), shards=(6, 8, 9, 3), fill_value=0)
    assert probe.list(folder / "a.zarr")[2] == [pixels(f"{i:06}", -1, array[i]) for i in range(12)]


def reads_slashes_in_keys_of_version_2_and_dots_in_those_of_version_3(probe, folder):
    array = some_pixels()
    for version in FORMATS:
        group = group_at(folder / f"{version}.zarr", version)
        separator = "/" if version == 2 else "."
        options = {"dimension_separator": separator}
        if IS_3:
            options = {"chunk_key_encoding": {"name": "v2" if version == 2 else "default", "separator": separator}}
        create(group, "image", array, (3, 8, 9, 3), **options)
        assert probe.list(folder / f"{version}.zarr")[2] == [pixels(f"{i:06}", -1, array[i]) for i in range(7)]


def reads_gray_images_and_labels_of_every_type(probe, folder):
    array = some_pixels()[:, :, :, 0]
    for version in FORMATS:
        for kind in ("int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64"):
            group = group_at(folder / "a.zarr", version)
            create(group, "x_train", array, (3, 8, 9))
            create(group, "y_train", numpy.arange(7).astype(kind), (3,))
            assert probe.list(folder / "a.zarr")[2] == [pixels(f"{i:06}", i, array[i]) for i in range(7)], kind


def explains_what_it_cannot_read(probe, folder):
    cases = [({"image": some_pixels().transpose(0, 3, 1, 2)}, {}, "image: uint8 7×3×8×9"),
             ({"image": some_pixels()}, {"chunks": (3, 4, 9, 3)}, "splits samples")]
    if not IS_3:
        cases.append(({"image": some_pixels(), "label": numpy.zeros(7, ">i4")}, {}, "big-endian int32 7"))
        cases.append(({"image": some_pixels()}, {"order": "F"}, "order: is \"F\""))
        cases.append(({"image": some_pixels()}, {"filters": [numcodecs.Delta("u1")]}, "filters: "))
        cases.append(({"image": some_pixels()}, {"compressor": numcodecs.LZ4()}, "compressor: \"lz4\" is not supported"))
    else:
        cases.append(({"image": some_pixels()}, {"filters": [zarr.codecs.TransposeCodec(order=(3, 2, 1, 0))]}, "\"transpose\""))
    for number, (arrays, options, words) in enumerate(cases):
        group = group_at(folder / f"{number}.zarr", FORMATS[-1])
        for name, array in arrays.items():
            create(group, name, array, **{"chunks": array.shape, **(options if name == "image" else {})})
        assert words in probe.error(folder / f"{number}.zarr"), probe.error(folder / f"{number}.zarr")


def writes_what_zarr_python_reads(probe, folder):
    array, labels = some_pixels(), numpy.arange(-1, 6)
    source = group_at(folder / "source.zarr", FORMATS[-1])
    create(source, "image", array, (2, 8, 9, 3))
    create(source, "label", labels, (3,))
    for version in FORMATS:
        for codec in ("none", "gzip", "zstd", "blosc-lz4", "blosc-zstd"):
            for chunk in (1, 3, 9):
                path = folder / f"{version}-{codec}-{chunk}.zarr"
                probe.copy(folder / "source.zarr", path, "zarr", f"codec={codec}", f"chunk={chunk}", f"zarr_format={version}")
                group = zarr.open_group(str(path), mode="r")
                assert not IS_3 or group.metadata.zarr_format == version
                assert group["image"].chunks == (chunk, 8, 9, 3) and group["image"].dtype == numpy.uint8
                assert (group["image"][:] == array).all() and (group["label"][:] == labels).all(), path
                assert list(group.attrs["class_names"]) == ["zebra", "ü"]
                assert [bytes(key).rstrip(b"\0").decode() for key in group["key"][:]] == [f"{i:06}" for i in range(7)]


run_tests(reads_each_codec, reads_chunks_that_are_not_stored, reads_shards_of_which_some_are_not_stored,
          reads_slashes_in_keys_of_version_2_and_dots_in_those_of_version_3, reads_gray_images_and_labels_of_every_type,
          explains_what_it_cannot_read, writes_what_zarr_python_reads)
