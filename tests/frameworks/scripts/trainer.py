# SPDX-License-Identifier: Apache-2.0
"""A script that accumulates gradients by Hugging Face's Trainer."""
import tempfile

from transformers import Trainer, TrainingArguments, set_seed

from measured import Classifier, NumberedPictures, Stopwatch, arguments, collate


def main() -> None:
    args = arguments()
    set_seed(1)
    model = Classifier()
    with tempfile.TemporaryDirectory() as folder:
        settings = TrainingArguments(
            folder, num_train_epochs=args.epochs, per_device_train_batch_size=16, gradient_accumulation_steps=args.accumulation,
            use_cpu=True, learning_rate=1e-3, save_strategy="no", logging_strategy="no", report_to="none", disable_tqdm=True,
        )  # fmt: skip
        trainer = Trainer(model, settings, data_collator=collate, train_dataset=NumberedPictures(2400))
        stopwatch = Stopwatch()
        trainer.train()
    stopwatch.print_share()
    model.print_noted()


if __name__ == "__main__":
    main()
