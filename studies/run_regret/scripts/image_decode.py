# SPDX-License-Identifier: Apache-2.0
"""Images: eight JPEGs per batch are decoded, resized and converted to tensors."""
import io

import numpy
import torch
from PIL import Image
from torch.utils.data import DataLoader, Dataset
from training import train, wait_for_gpu


def jpeg(seed: int) -> bytes:
    coarse = numpy.random.RandomState(seed).randint(0, 256, (30, 40, 3), dtype=numpy.uint8)
    file = io.BytesIO()
    Image.fromarray(coarse).resize((400, 300), Image.BICUBIC).save(file, "JPEG", quality=90)
    return file.getvalue()


class Images(Dataset):
    def __init__(self) -> None:
        self.files = [jpeg(seed) for seed in range(64)]

    def __len__(self) -> int:
        return 20_000

    def __getitem__(self, index: int) -> torch.Tensor:
        image = Image.open(io.BytesIO(self.files[index % 64])).convert("RGB").resize((224, 224), Image.BILINEAR)
        return torch.from_numpy(numpy.array(image)).permute(2, 0, 1).float().div_(255)


if __name__ == "__main__":
    images = Images()
    train(lambda **settings: DataLoader(images, batch_size=8, shuffle=True, **settings), wait_for_gpu(22))
