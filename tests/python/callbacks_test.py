# SPDX-License-Identifier: Apache-2.0
"""feedrate's callbacks, and accelerate's loaders, with the frameworks if they are installed, else with stand-ins."""
from __future__ import annotations

import importlib.util
import os
import sys
import textwrap
import unittest
from collections.abc import Callable
from typing import Any

from api_test import WithProgram

STAND_INS = {
    "lightning/__init__.py": "",
    "lightning/pytorch.py": """
        class Callback:
            pass

        class Trainer:
            def __init__(self, max_epochs, callbacks, **_):
                self.epochs, self.callbacks, self.training = max_epochs, callbacks, False

            def fit(self, module, datamodule):
                self.call("setup", module, stage="fit")
                train, valid = datamodule.train_dataloader(), datamodule.val_dataloader()
                for _ in valid:
                    pass
                for _ in range(self.epochs):
                    self.training = True
                    iterator = iter(train)
                    for index, batch in enumerate(iterator):
                        module.training_step(batch, index)
                    self.training = False
                    for _ in valid:
                        pass
                self.call("teardown", module, stage="fit")

            def call(self, hook, *arguments, **named):
                for callback in self.callbacks:
                    getattr(callback, hook)(self, *arguments, **named)

        class LightningModule:
            pass

        class LightningDataModule:
            pass
    """,
    "transformers.py": """
        from torch.utils.data import DataLoader

        class TrainerCallback:
            pass

        class TrainingArguments:
            def __init__(self, folder, num_train_epochs, **_):
                self.epochs = num_train_epochs

        class Trainer:
            def __init__(self, model, args, train_dataset, eval_dataset, callbacks):
                self.model, self.args, self.data, self.callbacks = model, args, (train_dataset, eval_dataset), callbacks

            def train(self):
                train, valid = (DataLoader(data, 4, shuffle=True) for data in self.data)
                for callback in self.callbacks:
                    callback.on_train_begin(self.args, None, None, model=self.model, train_dataloader=train, eval_dataloader=valid)
                for _ in range(self.args.epochs):
                    for batch in train:
                        self.model(**batch)
                    for _ in valid:
                        pass
    """,
}

BEGIN = """
    import time, warnings
    import torch

    def wait_until(is_so):
        end = time.monotonic() + 100
        while not is_so() and time.monotonic() < end:
            time.sleep(0.02)

    def is_judged():  # and asked to switch before that
        return found() is not None
"""

LIGHTNING = """
    from torch.utils.data import DataLoader
    from lightning.pytorch import LightningDataModule, LightningModule, Trainer
    from feedrate.lightning import TuneDataLoader

    class Module(LightningModule):
        def __init__(self):
            super().__init__()
            self.weight = torch.nn.Parameter(torch.zeros(()))
        def training_step(self, batch, index):
            if index == 20:
                wait_until(is_judged)
            return self.weight * batch.sum()
        def validation_step(self, batch, index):
            pass
        def configure_optimizers(self):
            return torch.optim.SGD([self.weight], 0.1)

    class Data(LightningDataModule):
        def train_dataloader(self):
            return DataLoader(torch.zeros(800), 4, shuffle=True)
        def val_dataloader(self):
            return DataLoader(torch.zeros(8), 4)

    warnings.simplefilter("ignore")
    callback = TuneDataLoader(budget=0.2)
    found = lambda: callback.recommendation
    quiet = dict(logger=False, enable_checkpointing=False, enable_progress_bar=False, enable_model_summary=False)
    Trainer(accelerator="cpu", max_epochs=2, callbacks=[callback], **quiet).fit(Module(), datamodule=Data())
    import feedrate.patch
    wait_until(lambda: found().is_final)
    print(found()["num_workers"], found().is_final, feedrate.patch.rules)
"""

HUGGING_FACE = """
    from transformers import Trainer, TrainingArguments
    from feedrate.huggingface import TuneDataLoader

    class Data(torch.utils.data.Dataset):
        def __init__(self, length):
            self.length = length
        def __len__(self):
            return self.length
        def __getitem__(self, index):
            return {"x": torch.zeros(4), "labels": torch.zeros(1)}

    class Model(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.layer = torch.nn.Linear(4, 1)
            self.steps = 0
        def forward(self, x, labels):
            self.steps += 1
            if self.steps == 20:
                wait_until(is_judged)
            out = self.layer(x)
            return {"loss": (out - labels).pow(2).mean(), "logits": out}

    callback = TuneDataLoader(budget=0.2)
    found = lambda: callback.recommendation
    quiet = dict(report_to=[], save_strategy="no", logging_strategy="no", disable_tqdm=True, eval_strategy="epoch")
    arguments = TrainingArguments("out", num_train_epochs=2, per_device_train_batch_size=4, use_cpu=True, **quiet)
    Trainer(model=Model(), args=arguments, train_dataset=Data(800), eval_dataset=Data(8), callbacks=[callback]).train()
    wait_until(lambda: found().is_final)
    print(found()["num_workers"], found().is_final)
"""

ACCELERATE = """
    from accelerate import Accelerator
    from torch.utils.data import DataLoader
    import feedrate

    loader = feedrate.tune(Accelerator(cpu=True).prepare(DataLoader(torch.zeros(800), 4, shuffle=True)), budget=0.2)
    found = lambda: feedrate.recommendation(loader)
    for epoch in range(2):
        for step, batch in enumerate(loader):
            if step == 20:
                wait_until(is_judged)
    wait_until(lambda: found().is_final)
    print(found()["num_workers"], found().is_final)
"""


def with_frameworks(*needs: str) -> Callable[[Any], Any]:
    absent = [name for name in needs if importlib.util.find_spec(name) is None]
    if absent:
        print(f"not run: {sys.executable} has no {' and no '.join(absent)}")
    return unittest.skipIf(absent, f"no {absent}")


class Training(WithProgram):
    def check(self, script: str, last: str, **environment: str) -> None:
        """Expects that the training's loader is tuned from its first epoch on, and that no other loader is watched."""
        result = self.start(textwrap.dedent(BEGIN) + textwrap.dedent(script), None, **{**self.environment, "HF_HUB_OFFLINE": "1", **environment})
        self.assertEqual((result.returncode, result.stdout.splitlines()[-1:]), (0, [last]), result.stderr)
        self.assertEqual([(line["loader"], line["tune"], line["length"]) for line in self.received("loader")], [(0, 0.2, 200)])
        rows = [row for line in self.received("marks") for row in zip(*[iter(line["rows"])] * 6)]
        self.assertEqual([len([row for row in rows if row[1] == epoch and row[4] >= 0]) for epoch in (0, 1)], [200, 200])
        self.assertEqual([row for row in rows if row[4] == -3], [(0, 0, 0, 0, -3, 5)])

    def check_stand_in(self, script: str, last: str) -> None:
        for name, text in STAND_INS.items():
            path = self.folder / "stand_ins" / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(textwrap.dedent(text))
        self.check(script, last, also=os.pathsep.join([str(self.folder / "stand_ins"), self.environment["also"]]))

    def test_by_the_hooks_of_lightning(self) -> None:
        self.check_stand_in(LIGHTNING, "1 True []")

    def test_by_the_hooks_of_hugging_face(self) -> None:
        self.check_stand_in(HUGGING_FACE, "1 True")

    @with_frameworks("lightning")
    def test_by_lightning(self) -> None:
        self.check(LIGHTNING, "1 True []")

    @with_frameworks("pytorch_lightning")
    def test_by_lightning_under_its_old_name(self) -> None:
        self.check(LIGHTNING.replace("from lightning.pytorch", "from pytorch_lightning"), "1 True []")

    @with_frameworks("transformers", "accelerate")
    def test_by_hugging_face(self) -> None:
        self.check(HUGGING_FACE, "1 True")

    @with_frameworks("accelerate")
    def test_by_accelerate(self) -> None:
        self.check(ACCELERATE, "1 True")


if __name__ == "__main__":
    unittest.main()
