# SPDX-License-Identifier: Apache-2.0
"""A LightningModule, trained by Lightning's Trainer."""
import argparse

import lightning as L
import torch
from torch import nn
from torch.utils.data import DataLoader

from pictures import Pictures


class Classifier(L.LightningModule):
    def __init__(self) -> None:
        super().__init__()
        self.model = nn.Sequential(
            nn.Conv2d(3, 16, 5), nn.ReLU(), nn.Conv2d(16, 16, 5, stride=2), nn.ReLU(), nn.Flatten(), nn.Dropout(0.2), nn.Linear(2304, 10)
        )

    def training_step(self, batch, batch_index):
        pictures, labels = batch
        loss = nn.functional.cross_entropy(self.model(pictures), labels)
        self.log("loss", loss, on_step=False, on_epoch=True)
        return loss

    def configure_optimizers(self):
        return torch.optim.SGD(self.parameters(), lr=0.01, momentum=0.9)

    def on_train_epoch_end(self) -> None:
        print(f"epoch {self.current_epoch}: loss {self.trainer.callback_metrics['loss'].item()}", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--epochs", type=int, default=4)
    args = parser.parse_args()

    L.seed_everything(1)
    loader = DataLoader(Pictures(2400), batch_size=16, shuffle=True)
    trainer = L.Trainer(max_epochs=args.epochs, accelerator="cpu", logger=False, enable_checkpointing=False, enable_progress_bar=False)
    trainer.fit(Classifier(), loader)


if __name__ == "__main__":
    main()
