# SPDX-License-Identifier: Apache-2.0
"""A script that accumulates gradients by Lightning's Trainer. --mode: a CombinedLoader takes a batch from each of two loaders per step."""
import lightning as L
import torch
from lightning.pytorch.utilities import CombinedLoader
from torch.utils.data import DataLoader

from measured import Classifier, NumberedPictures, Stopwatch, arguments


class Module(L.LightningModule):
    def __init__(self) -> None:
        super().__init__()
        self.model = Classifier()

    def training_step(self, batch, batch_index):
        batches = batch.values() if isinstance(batch, dict) else [batch]
        return sum(self.model(*one)["loss"] for one in batches if one is not None)

    def configure_optimizers(self):
        return torch.optim.SGD(self.parameters(), lr=0.01, momentum=0.9)


def combined(mode: str) -> CombinedLoader:
    few = DataLoader(NumberedPictures(1600), batch_size=8, shuffle=True)
    many = DataLoader(NumberedPictures(2400), batch_size=16, shuffle=True, drop_last=True)
    return CombinedLoader({"few": few, "many": many} if mode != "sequential" else [few, many], mode)


def main() -> None:
    args = arguments(mode="")
    L.seed_everything(1)
    module = Module()
    loader = combined(args.mode) if args.mode else DataLoader(NumberedPictures(2400), batch_size=16, shuffle=True)
    trainer = L.Trainer(
        max_epochs=args.epochs, accumulate_grad_batches=args.accumulation, accelerator="cpu", logger=False, enable_checkpointing=False,
        enable_progress_bar=False,
    )  # fmt: skip
    stopwatch = Stopwatch()
    trainer.fit(module, loader)
    stopwatch.print_share()
    module.model.print_noted()


if __name__ == "__main__":
    main()
