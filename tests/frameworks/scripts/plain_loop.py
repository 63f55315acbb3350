# SPDX-License-Identifier: Apache-2.0
"""A loop in plain PyTorch that accumulates gradients. --taken-at-once takes all batches of a step first, like newer trainers."""
import itertools

import torch
from torch.utils.data import DataLoader

from measured import Classifier, NumberedPictures, Stopwatch, arguments


def groups(loader, size: int, taken_at_once: bool):
    batches = iter(loader)
    while True:
        group = itertools.islice(batches, size)
        first = next(group, None)
        if first is None:
            return
        yield [first, *group] if taken_at_once else itertools.chain([first], group)


def main() -> None:
    args = arguments(taken_at_once=0)
    torch.manual_seed(1)
    loader = DataLoader(NumberedPictures(2400), batch_size=16, shuffle=True)
    model = Classifier()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01, momentum=0.9)
    stopwatch = Stopwatch()
    for _ in range(args.epochs):
        for group in groups(loader, args.accumulation, bool(args.taken_at_once)):
            for pictures, labels in group:
                loss = model(pictures, labels)["loss"] / args.accumulation
                loss.backward()
            optimizer.step()
            optimizer.zero_grad()
    stopwatch.print_share()
    model.print_noted()


if __name__ == "__main__":
    main()
