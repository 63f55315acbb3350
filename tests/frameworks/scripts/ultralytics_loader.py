# SPDX-License-Identifier: Apache-2.0
"""The loader of ultralytics: one iterator for all epochs, whose sampler never ends."""
import torch
from ultralytics.data.build import InfiniteDataLoader, seed_worker

from measured import Classifier, NumberedPictures, Stopwatch, arguments


def main() -> None:
    args = arguments(workers=1)
    torch.manual_seed(1)
    loader = InfiniteDataLoader(
        dataset=NumberedPictures(2400), batch_size=16, shuffle=True, num_workers=args.workers,
        prefetch_factor=4 if args.workers else None, worker_init_fn=seed_worker,
        generator=torch.Generator().manual_seed(6148914691236517204),
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
