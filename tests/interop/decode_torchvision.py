#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compares loaders/decode/ with the Pillow and torchvision of this machine, on random images and transforms.

    decode_torchvision.py <decode_probe> [<cases>] [<seed>]

uint8 results must be equal byte for byte, float32 results bit for bit. Exits 77 without torchvision.
"""
import pathlib
import random
import subprocess
import sys
import tempfile
import warnings

warnings.filterwarnings("ignore")  # torchvision 0.14 warns of an image extension that is not used here.
try:
    import numpy as np
    import torch
    from PIL import Image
    from torchvision import transforms
    from torchvision.transforms import functional as F
except ImportError as error:
    print(f"skipped: {error}; needs torch, torchvision and Pillow")
    sys.exit(77)

NORMALIZE = transforms.Normalize((0.485, 0.456, 0.406), (0.229, 0.224, 0.225))


def random_image(rng):
    """Noise at a random scale, so that there are smooth and sharp areas."""
    width, height = rng.randint(1, 160), rng.randint(1, 160)
    coarse = rng.choice((1, 1, 4, 16))
    noise = np.random.default_rng(rng.getrandbits(32)).integers(0, 256, (-(-height // coarse), -(-width // coarse), 3))
    image = Image.fromarray(noise.astype(np.uint8))
    return image.resize((width, height), rng.choice((Image.NEAREST, Image.BICUBIC)))


def save(image, stem, rng):
    mode = rng.choice(("RGB", "RGB", "RGB", "L", "P", "RGBA", "LA", "1", "CMYK"))
    if mode in ("RGB", "L", "CMYK") and rng.random() < 0.7:
        path = stem.with_suffix(".jpg")
        options = {} if mode == "L" else {"subsampling": rng.choice((0, 1, 2))}
        image.convert(mode).save(path, quality=rng.randint(1, 100), progressive=rng.random() < 0.3, **options)
    else:
        path = stem.with_suffix(".png")
        image.convert("RGB" if mode == "CMYK" else mode).save(path, compress_level=rng.randint(0, 9))
    return path


def random_transform(image, rng):
    """(a transform in the probe's notation, its expected result)."""
    size = rng.randint(1, 200), rng.randint(1, 200)
    kind = rng.choice(("resize", "resize_shorter", "center_crop", "resized_crop", "random", "hflip"))
    if kind == "resize":
        return f"resize {size[0]} {size[1]}", F.resize(image, list(size))
    if kind == "resize_shorter" and max(image.size) < 20 * min(image.size):
        return f"resize_shorter {size[0]}", F.resize(image, size[0])
    if kind == "center_crop":
        return f"center_crop {size[0]} {size[1]}", F.center_crop(image, list(size))
    if kind == "hflip":
        return "hflip", F.hflip(image)
    box = transforms.RandomResizedCrop.get_params(image, [0.08, 1.0], [3 / 4, 4 / 3])
    numbers = " ".join(map(str, (*box, *size)))
    return f"resized_crop {numbers}", F.resized_crop(image, *box, list(size))


def expected_tensor(image, dtype):
    if dtype == "uint8":
        return transforms.PILToTensor()(image).numpy()
    return NORMALIZE(transforms.ToTensor()(image)).numpy()


def main():
    probe = sys.argv[1]
    cases = int(sys.argv[2]) if len(sys.argv) > 2 else 300
    seed = int(sys.argv[3]) if len(sys.argv) > 3 else 1
    rng = random.Random(seed)
    torch.manual_seed(seed)
    jobs, wanted = [], []
    with tempfile.TemporaryDirectory() as folder:
        for i in range(cases):
            path = save(random_image(rng), pathlib.Path(folder, str(i)), rng)
            image, words = Image.open(path).convert("RGB"), []
            for _ in range(rng.randint(0, 3)):
                text, image = random_transform(image, rng)
                words.append(text)
            dtype = rng.choice(("uint8", "float32"))
            jobs.append(" ".join((str(path), str(path) + ".out", dtype, *words)))
            wanted.append(expected_tensor(image, dtype))
        subprocess.run([probe], input="\n".join(jobs) + "\n", text=True, check=True)
        failures = 0
        for job, tensor in zip(jobs, wanted):
            words = job.split()
            got = np.fromfile(words[1], tensor.dtype)
            if got.size != tensor.size:
                print(f"{got.size} values instead of {tensor.size}: {job}")
                failures += 1
            elif not np.array_equal(got, tensor.reshape(-1)):
                off = np.abs(got.astype(np.float64) - tensor.reshape(-1)).max()
                print(f"off by up to {off}: {job}")
                failures += 1
    print(f"{cases} cases with seed {seed}: {failures} differ")
    return 1 if failures or not cases else 0


if __name__ == "__main__":
    sys.exit(main())
