# SPDX-License-Identifier: Apache-2.0
"""A script that accumulates gradients by Hugging Face Accelerate."""
import torch
from accelerate import Accelerator
from accelerate.utils import set_seed
from torch.utils.data import DataLoader

from measured import Classifier, NumberedPictures, Stopwatch, arguments


def main() -> None:
    args = arguments()
    accelerator = Accelerator(cpu=True, gradient_accumulation_steps=args.accumulation)
    set_seed(1)
    loader = DataLoader(NumberedPictures(2400), batch_size=16, shuffle=True)
    model = Classifier()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01, momentum=0.9)
    prepared, optimizer, loader = accelerator.prepare(model, optimizer, loader)
    stopwatch = Stopwatch()
    for _ in range(args.epochs):
        for pictures, labels in loader:
            with accelerator.accumulate(prepared):
                accelerator.backward(prepared(pictures, labels)["loss"])
                optimizer.step()
                optimizer.zero_grad()
    stopwatch.print_share()
    model.print_noted()


if __name__ == "__main__":
    main()
