#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes a loader by the options that training/library_options.cpp has for a library, and reads its settings back.

    library_options_test.py <source folder> <package> | --all-have-a-maker

Exits 77 if the package is missing. --all-have-a-maker compares the table with the makers in this file.
"""
import importlib
import pathlib
import re
import sys
import tempfile
import types
import unittest
from typing import Any, Callable

# DataLoader's arguments in the order of the table, with values that are no library's default.
SETTINGS = {"num_workers": 1, "prefetch_factor": 3, "pin_memory": True, "persistent_workers": True, "multiprocessing_context": "fork"}
ROW = re.compile(r'LibraryOptions\{\s*((?:"[^"]*"[,\s]*)+)\}')


def rows(source: pathlib.Path) -> dict[str, tuple[str, list[str]]]:
    found = [re.findall(r'"([^"]*)"', row) for row in ROW.findall((source / "training" / "library_options.cpp").read_text())]
    return {package: (form, options) for package, form, *options in found}


def dataset() -> Any:
    import torch

    return torch.utils.data.TensorDataset(torch.zeros(64, 3, 8, 8), torch.zeros(64, dtype=torch.int64))


def torch_loader(**options: Any) -> Any:
    return importlib.import_module("torch.utils.data").DataLoader(dataset(), batch_size=4, **options)


def by_accelerate(accelerate: types.ModuleType, options: dict[str, Any]) -> Any:
    return accelerate.Accelerator(cpu=True).prepare(torch_loader(**options))


def by_detectron2(detectron2: types.ModuleType, options: dict[str, Any]) -> Any:
    cfg = importlib.import_module("detectron2.config").get_cfg()
    for name, value in options.items():
        cfg.DATALOADER[name] = value
    data = importlib.import_module("detectron2.data")
    return data.build_detection_test_loader(list(range(64)), mapper=lambda one: one, num_workers=cfg.DATALOADER.NUM_WORKERS)


def by_fairseq(fairseq: types.ModuleType, options: dict[str, Any]) -> Any:
    parser = importlib.import_module("fairseq.options").get_training_parser()
    arguments = [text for name, value in options.items() for text in (name, str(value))]
    return parser.parse_args(["data", *arguments])


def by_ignite(ignite: types.ModuleType, options: dict[str, Any]) -> Any:
    return importlib.import_module("ignite.distributed").auto_dataloader(dataset(), **options)


def by_lightning(lightning: types.ModuleType, options: dict[str, Any]) -> Any:
    import torch

    class Module(lightning.LightningModule):
        def __init__(self) -> None:
            super().__init__()
            self.layer = torch.nn.Linear(8, 1)

        def train_dataloader(self) -> Any:
            return torch_loader(**options)

        def training_step(self, batch: Any, index: int) -> Any:
            return self.layer(batch[0]).sum()

        def configure_optimizers(self) -> Any:
            return torch.optim.SGD(self.parameters(), lr=0.1)

    quiet = {"logger": False, "enable_checkpointing": False, "enable_progress_bar": False, "enable_model_summary": False}
    trainer = lightning.Trainer(max_steps=1, accelerator="cpu", **quiet)
    trainer.fit(Module())
    return trainer.train_dataloader


def by_mmengine(mmengine: types.ModuleType, options: dict[str, Any]) -> Any:
    runner = importlib.import_module("mmengine.runner").Runner
    return runner.build_dataloader({"dataset": dataset(), "sampler": {"type": "DefaultSampler", "shuffle": True}, "batch_size": 4, **options})


def by_monai(monai: types.ModuleType, options: dict[str, Any]) -> Any:
    return importlib.import_module("monai.data").DataLoader(dataset(), **options)


def by_trainer(arguments_class: type, options: dict[str, Any]) -> Any:
    import torch
    import transformers

    with tempfile.TemporaryDirectory() as folder:
        arguments = arguments_class(folder, report_to="none", **options)
        return transformers.Trainer(torch.nn.Linear(1, 1), arguments, train_dataset=dataset()).get_train_dataloader()


def by_sentence_transformers(package: types.ModuleType, options: dict[str, Any]) -> Any:
    return by_trainer(package.SentenceTransformerTrainingArguments, options)


def by_transformers(package: types.ModuleType, options: dict[str, Any]) -> Any:
    return by_trainer(package.TrainingArguments, options)


def by_skorch(skorch: types.ModuleType, options: dict[str, Any]) -> Any:
    import torch

    net = skorch.NeuralNet(torch.nn.Linear, torch.nn.MSELoss, module__in_features=1, module__out_features=1, **options)
    return net.initialize().get_iterator(dataset(), training=True)


def by_timm(timm: types.ModuleType, options: dict[str, Any]) -> Any:
    import torch

    made = importlib.import_module("timm.data").create_loader(dataset(), (3, 8, 8), 4, is_training=True, device=torch.device("cpu"), **options)
    return made.loader


def by_torch_geometric(package: types.ModuleType, options: dict[str, Any]) -> Any:
    return importlib.import_module("torch_geometric.loader").DataLoader([0] * 64, **options)


def by_torchdata(torchdata: types.ModuleType, options: dict[str, Any]) -> Any:
    return importlib.import_module("torchdata.stateful_dataloader").StatefulDataLoader(dataset(), **options)


def by_ultralytics(ultralytics: types.ModuleType, options: dict[str, Any]) -> Any:
    cfg = importlib.import_module("ultralytics.cfg").get_cfg(overrides=options)
    return importlib.import_module("ultralytics.data.build").build_dataloader(dataset(), batch=4, workers=cfg.workers)


def by_webdataset(webdataset: types.ModuleType, options: dict[str, Any]) -> Any:
    return webdataset.WebLoader(dataset(), **options).pipeline[0]


MAKERS: dict[str, Callable[[types.ModuleType, dict[str, Any]], Any]] = {
    "accelerate": by_accelerate,
    "detectron2": by_detectron2,
    "fairseq": by_fairseq,
    "ignite": by_ignite,
    "lightning": by_lightning,
    "mmengine": by_mmengine,
    "monai": by_monai,
    "pytorch_lightning": by_lightning,
    "sentence_transformers": by_sentence_transformers,
    "skorch": by_skorch,
    "timm": by_timm,
    "torch_geometric": by_torch_geometric,
    "torchdata": by_torchdata,
    "transformers": by_transformers,
    "ultralytics": by_ultralytics,
    "webdataset": by_webdataset,
}


class Options(unittest.TestCase):
    package: types.ModuleType
    options: list[str]

    def settings(self, pin_memory: bool) -> dict[str, Any]:
        """{argument of DataLoader: (option, value)} for the arguments that the library has an option for."""
        values = {**SETTINGS, "pin_memory": pin_memory}
        return {name: (option, values[name]) for name, option in zip(SETTINGS, self.options) if option}

    def test_reach_the_loader(self) -> None:
        for pin_memory in (False, True):
            settings = self.settings(pin_memory)
            loader = MAKERS[self.package.__name__](self.package, dict(settings.values()))
            for name, (option, value) in settings.items():
                found = getattr(loader, name)
                found = found if name != "multiprocessing_context" else found and found.get_start_method()
                self.assertEqual(found, value, option)


if __name__ == "__main__":
    table = rows(pathlib.Path(sys.argv[1]))
    if sys.argv[2] == "--all-have-a-maker":
        sys.exit(0 if list(table) == sorted(MAKERS) else f"the table has {list(table)}, the makers are {sorted(MAKERS)}")
    try:
        Options.package = importlib.import_module(sys.argv[2])
    except Exception as error:
        print(f"skipped: {sys.executable}: needs the package {sys.argv[2]}: {error}")
        sys.exit(77)
    _, Options.options = table[sys.argv[2]]
    unittest.main(argv=sys.argv[:1])
