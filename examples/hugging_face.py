# SPDX-License-Identifier: Apache-2.0
"""A small vision transformer, trained by Hugging Face's Trainer. It downloads nothing."""
import argparse
import tempfile

import torch
from transformers import Trainer, TrainingArguments, ViTConfig, ViTForImageClassification, set_seed

from pictures import Pictures


def collate(samples):
    pictures, labels = zip(*samples)
    return {"pixel_values": torch.stack(pictures), "labels": torch.tensor(labels)}


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--epochs", type=int, default=4)
    args = parser.parse_args()

    set_seed(1)
    config = ViTConfig(
        image_size=32, patch_size=8, hidden_size=64, num_hidden_layers=2, num_attention_heads=4, intermediate_size=128,
        hidden_dropout_prob=0.1, num_labels=10,
    )  # fmt: skip
    with tempfile.TemporaryDirectory() as folder:
        arguments = TrainingArguments(
            folder, num_train_epochs=args.epochs, per_device_train_batch_size=16, use_cpu=True, learning_rate=1e-3,
            save_strategy="no", logging_strategy="no", report_to="none", disable_tqdm=True,
        )  # fmt: skip
        trainer = Trainer(ViTForImageClassification(config), arguments, data_collator=collate, train_dataset=Pictures(2400))
        result = trainer.train()
    print(f"{result.global_step} steps: loss {result.training_loss}")


if __name__ == "__main__":
    main()
