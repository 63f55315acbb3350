# SPDX-License-Identifier: Apache-2.0
"""timm's create_loader(), whose PrefetchLoader takes a batch ahead. With --multi-epochs 1 its loader never ends an epoch."""
import numpy as np
import torch
from PIL import Image
from timm.data import create_loader

from measured import Classifier, Stopwatch, arguments


class Photos(torch.utils.data.Dataset):
    """A dataset like timm's ImageDataset: a PIL picture, transformed by the transform that create_loader() sets."""

    transform = None

    def __len__(self) -> int:
        return 2400

    def __getitem__(self, index: int):
        random = np.random.default_rng(index)
        picture = Image.fromarray(random.integers(0, 256, (96, 96, 3), dtype=np.uint8))
        return self.transform(picture), index


def main() -> None:
    args = arguments(multi_epochs=0, prefetcher=1, workers=1)
    torch.manual_seed(1)
    loader = create_loader(
        Photos(), input_size=(3, 32, 32), batch_size=16, is_training=True, no_aug=True, num_workers=args.workers,
        persistent_workers=args.workers > 0, device=torch.device("cpu"), use_multi_epochs_loader=bool(args.multi_epochs),
        use_prefetcher=bool(args.prefetcher),
    )  # fmt: skip
    model = Classifier()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    stopwatch = Stopwatch()
    for _ in range(args.epochs):
        for pictures, labels in loader:
            model(pictures, labels)["loss"].backward()
            optimizer.step()
            optimizer.zero_grad()
    stopwatch.print_share()
    model.print_noted()


if __name__ == "__main__":
    main()
