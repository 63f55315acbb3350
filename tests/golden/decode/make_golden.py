#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes the golden files of tests/decode: small images of every kind that the decoders must take,
and what Pillow and torchvision make of them.

    python3 tests/golden/decode/make_golden.py

The committed files come from Debian 12: Pillow 9.4.0, torch 1.13.1, torchvision 0.14.1, libjpeg-turbo 2.1.5.

expected.txt holds a line per result: file, operation, its arguments (comma-separated, - for none),
height, width and the FNV-1a checksum of the RGB bytes.
values.f32 and normalized.f32 hold values.png after ToTensor, without and with Normalize.
"""
import io
import pathlib
import random
import struct
import zlib

import numpy as np
import torch
from PIL import Image
from torchvision import transforms
from torchvision.transforms import functional as F

HERE = pathlib.Path(__file__).resolve().parent
MEAN, STD = (0.485, 0.456, 0.406), (0.229, 0.224, 0.225)
GREY, RGB, PALETTE, GREY_ALPHA, RGBA = 0, 2, 3, 4, 6
CHANNELS = {GREY: 1, RGB: 3, PALETTE: 1, GREY_ALPHA: 2, RGBA: 4}
ADAM7 = [(0, 0, 8, 8), (0, 4, 8, 8), (4, 0, 8, 4), (0, 2, 4, 4), (2, 0, 4, 2), (0, 1, 2, 2), (1, 0, 2, 1)]


def texture(height, width, channels, seed, top=255):
    """Smooth shapes, an edge and some noise: something of what photographs hold."""
    rng = np.random.default_rng(seed)
    y, x = np.mgrid[0:height, 0:width]
    planes = []
    for c in range(channels):
        wave = np.sin(x / (3.0 + c) + seed) + np.cos(y / (5.0 - c)) + 1.5 * ((x + y * (c + 1)) % 23 < 9)
        planes.append(wave * 45 + 100 + rng.normal(0, 12, (height, width)))
    return (np.stack(planes, -1).clip(0, 255) / 255 * top).astype(np.int64)


def paeth(a, b, c):
    p = a + b - c
    pa, pb, pc = abs(p - a), abs(p - b), abs(p - c)
    return a if pa <= pb and pa <= pc else b if pb <= pc else c


def filtered(rows, step, rng):
    """Every row with another of PNG's five filters."""
    out, above = bytearray(), bytes(len(rows[0])) if rows else b""
    for row in rows:
        kind = rng.randrange(5)
        out.append(kind)
        for i, value in enumerate(row):
            a = row[i - step] if i >= step else 0
            b, c = above[i], above[i - step] if i >= step else 0
            guess = (0, a, b, (a + b) // 2, paeth(a, b, c))[kind]
            out.append((value - guess) & 255)
        above = row
    return bytes(out)


def packed_rows(pixels, depth):
    rows = []
    for line in pixels:
        values = line.reshape(-1)
        if depth == 16:
            rows.append(values.astype(">u2").tobytes())
        elif depth == 8:
            rows.append(values.astype(np.uint8).tobytes())
        else:
            bits = "".join(format(v, f"0{depth}b") for v in values)
            bits += "0" * (-len(bits) % 8)
            rows.append(bytes(int(bits[i : i + 8], 2) for i in range(0, len(bits), 8)))
    return rows


def chunk(kind, data):
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


def png(pixels, depth, colour, interlaced=False, before_data=b"", idat=400):
    """Pillow writes neither Adam7 nor most depths, so this does."""
    rng = random.Random(depth * 100 + colour)
    height, width, channels = pixels.shape
    step = max(1, channels * depth // 8)
    parts = [pixels[y::dy, x::dx] for y, x, dy, dx in ADAM7] if interlaced else [pixels]
    raw = b"".join(filtered(packed_rows(p, depth), step, rng) for p in parts if p.size)
    data = zlib.compress(raw, 9)
    header = struct.pack(">IIBBBBB", width, height, depth, colour, 0, 0, interlaced)
    chunks = chunk(b"IHDR", header) + before_data
    for i in range(0, len(data), idat):
        chunks += chunk(b"IDAT", data[i : i + idat])
    return b"\x89PNG\r\n\x1a\n" + chunks + chunk(b"IEND", b"")


def palette_chunk(depth):
    rng = np.random.default_rng(depth)
    return chunk(b"PLTE", rng.integers(0, 256, 3 * 2**depth, dtype=np.uint8).tobytes())


def png_images():
    for colour, depths in {GREY: (1, 2, 4, 8), PALETTE: (1, 2, 4, 8), RGB: (8, 16), GREY_ALPHA: (8, 16), RGBA: (8, 16)}.items():
        name = {GREY: "grey", PALETTE: "palette", RGB: "rgb", GREY_ALPHA: "grey_alpha", RGBA: "rgba"}[colour]
        for depth in depths:
            pixels = texture(19, 27, CHANNELS[colour], depth, 2**depth - 1)
            extra = palette_chunk(depth) if colour == PALETTE else b""
            yield f"{name}{depth}.png", png(pixels, depth, colour, False, extra)
            yield f"{name}{depth}_interlaced.png", png(pixels, depth, colour, True, extra)
    for interlaced, end in ((False, ""), (True, "_interlaced")):  # Pillow clips what is above 255.
        yield f"grey16{end}.png", png(texture(19, 27, 1, 16, 600), 16, GREY, interlaced)
    grey, rgb = texture(9, 13, 1, 5), texture(9, 13, 3, 6)
    yield "palette8_transparent.png", png(grey, 8, PALETTE, False, palette_chunk(8) + chunk(b"tRNS", bytes(range(200))))
    yield "palette2_transparent.png", png(grey % 4, 2, PALETTE, False, palette_chunk(2) + chunk(b"tRNS", b"\xff\x00"))
    yield "grey8_transparent.png", png(grey, 8, GREY, False, chunk(b"tRNS", struct.pack(">H", int(grey[0, 0, 0]))))
    yield "rgb8_transparent.png", png(rgb, 8, RGB, False, chunk(b"tRNS", struct.pack(">3H", *(int(v) for v in rgb[1, 1]))))
    yield "rgb8_gamma.png", png(rgb, 8, RGB, False, chunk(b"gAMA", struct.pack(">I", 100000)) + chunk(b"tEXt", b"Title\0texture"))
    yield "one_pixel.png", png(texture(1, 1, 3, 1), 8, RGB)
    yield "values.png", png(np.stack([np.arange(256).reshape(16, 16)] * 3, -1), 8, RGB)
    yield "photo.png", png(texture(47, 61, 3, 9), 8, RGB)


def jpeg(image, **options):
    buffer = io.BytesIO()
    image.save(buffer, "JPEG", **options)
    return buffer.getvalue()


def without_segment(data, marker):
    at = data.index(bytes([0xFF, marker]))
    length = struct.unpack(">H", data[at + 2 : at + 4])[0]
    return data[:at] + data[at + 2 + length :]


def stored_as_rgb(data):
    """The same planes called R, G and B: no JFIF segment, and letters as component numbers."""
    data = bytearray(without_segment(data, 0xE0))
    for marker, first, step in ((b"\xff\xc0", 10, 3), (b"\xff\xda", 5, 2)):
        at = data.index(marker)
        for i, letter in enumerate(b"RGB"):
            data[at + first + i * step] = letter
    return bytes(data)


def jpeg_images():
    rgb = Image.fromarray(texture(45, 59, 3, 2).astype(np.uint8))
    grey = Image.fromarray(texture(33, 41, 1, 3)[..., 0].astype(np.uint8))
    cmyk = Image.fromarray(texture(30, 38, 4, 4).astype(np.uint8), "CMYK")
    yield "420.jpg", jpeg(rgb, quality=85)
    yield "422.jpg", jpeg(rgb, quality=85, subsampling="4:2:2")
    yield "444.jpg", jpeg(rgb, quality=90, subsampling="4:4:4")
    yield "progressive.jpg", jpeg(rgb, quality=80, progressive=True)
    yield "optimized.jpg", jpeg(rgb, quality=60, optimize=True)
    yield "grey.jpg", jpeg(grey, quality=85)
    yield "grey_progressive.jpg", jpeg(grey, quality=85, progressive=True)
    yield "rgb.jpg", stored_as_rgb(jpeg(rgb, quality=85, subsampling="4:4:4"))
    yield "cmyk.jpg", jpeg(cmyk, quality=90)
    ycck = bytearray(jpeg(cmyk, quality=90))
    ycck[ycck.index(b"Adobe") + 11] = 2
    yield "ycck.jpg", bytes(ycck)
    yield "cmyk_without_adobe.jpg", without_segment(jpeg(cmyk, quality=90), 0xEE)
    exif = Image.Exif()
    exif[0x0112] = 6  # Orientation: rotated; ImageFolder does not look at it.
    yield "rotated.jpg", jpeg(rgb, quality=75, exif=exif)


def operations(name, image):
    yield "rgb", (), image
    if name == "photo.png":
        for size in ((47, 61), (20, 30), (94, 122), (47, 20), (20, 61), (1, 1), (7, 90), (224, 224), (46, 60)):
            yield "resize", size, F.resize(image, list(size))
        for size in (47, 30, 46, 64, 5, 1):
            yield "resize", (size,), F.resize(image, size)
        for size in ((47, 61), (20, 30), (46, 60), (44, 58), (45, 59), (60, 80), (47, 80), (60, 20), (20, 80), (50, 62), (1, 1)):
            yield "center_crop", size, F.center_crop(image, list(size))
        for box in ((0, 0, 47, 61), (3, 5, 20, 30), (17, 1, 30, 60), (46, 60, 1, 1), (0, 10, 47, 2)):
            for size in ((32, 32), (10, 50)):
                yield "resized_crop", box + size, F.resized_crop(image, *box, list(size))
    if name in ("photo.png", "rgb8.png"):
        yield "hflip", (), F.hflip(image)
    if name == "420.jpg":
        yield "encode_jpeg", (75,), Image.open(io.BytesIO(jpeg(image, quality=75)))


def checksum(data):
    value = 0xCBF29CE484222325
    for byte in data:
        value = (value ^ byte) * 0x100000001B3 & 0xFFFFFFFFFFFFFFFF
    return format(value, "016x")


def main():
    for old in (*HERE.glob("*.png"), *HERE.glob("*.jpg")):
        old.unlink()
    lines = []
    for name, data in sorted([*png_images(), *jpeg_images()]):
        (HERE / name).write_bytes(data)
        image = Image.open(io.BytesIO(data)).convert("RGB")
        for operation, arguments, result in operations(name, image):
            text = ",".join(map(str, arguments)) or "-"
            lines.append(f"{name} {operation} {text} {result.height} {result.width} {checksum(result.tobytes())}\n")
    (HERE / "expected.txt").write_text("".join(lines))

    tensor = transforms.ToTensor()(Image.open(HERE / "values.png").convert("RGB"))
    (HERE / "values.f32").write_bytes(tensor.numpy().astype("<f4").tobytes())
    normalized = transforms.Normalize(MEAN, STD)(tensor)
    (HERE / "normalized.f32").write_bytes(normalized.numpy().astype("<f4").tobytes())


if __name__ == "__main__":
    torch.set_num_threads(1)
    main()
