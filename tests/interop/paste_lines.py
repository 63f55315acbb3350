#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Pastes the proposed lines and checks the DataLoader that they make.

    paste_lines.py paste_probe <source folder>

Runs also in the Python that FEEDRATE_PYTHON_NEW names. Exits 77 without torch.
"""
import ast
import importlib
import inspect
import json
import os
import pathlib
import subprocess
import sys
import tempfile

PROBE, SOURCE = sys.argv[1], pathlib.Path(sys.argv[2])
try:
    import torch
except ImportError as error:
    print(f"skipped: {sys.executable}: {error}; needs torch")
    sys.exit(77)
from torch.utils.data import DataLoader, RandomSampler, SequentialSampler
from torch.utils.data.distributed import DistributedSampler

from paste_copies import check_copies

HAS_IN_ORDER = "in_order" in inspect.signature(DataLoader.__init__).parameters
WORKERS = "num_workers=2"
CASES = [
    ["num_workers=0"],
    ["num_workers=0", "pin_memory=true", "non_blocking=true"],
    [WORKERS],
    [WORKERS, "prefetch_factor=4"],
    [WORKERS, "persistent_workers=true"],
    [WORKERS, "pin_memory=true"],
    [WORKERS, "drop_last=true", "batch_size=3"],
    [WORKERS, "shuffle=true"],
    [WORKERS, "timeout=30"],
    [WORKERS, "in_order=false"],
    [WORKERS, "engine=torch"],
    [WORKERS, "engine=torch", "loader_factory=torch.utils.data:DataLoader"],
    [WORKERS, "engine=torch", "multiprocessing_context=fork,spawn,forkserver"],
    [WORKERS, "engine=torch", "multiprocessing_context=forkserver", "forkserver_preload=torch"],
    [WORKERS, "engine=torch", "worker_threads=3", "transport=fresh,file_system"],
    [WORKERS, "transport=file_system"],
    [WORKERS, "transport=file_system", "engine=torch", "multiprocessing_context=default,spawn"],
    [WORKERS, "ranks=2", "shuffle=true", "drop_last=true"],
    [WORKERS, "format=tar,lmdb,hdf5,npy", "staging=copy", "normalize_on=gpu", "wire_dtype=uint8"],
    [WORKERS, "pin_memory=true", "non_blocking=false,true", "copy_stream=side"],
    [WORKERS, "pin_memory=true", "non_blocking=true", "device_prefetch=1,2", "normalize_on=gpu", "wire_dtype=uint8"],
    ["loader=cached", "pin_memory=true", "device_prefetch=2"],
]
SEQUENCE_CASES = [["copy_stream=side"], ["device_prefetch=1"], ["ranks=2"]]
UNPASTABLE = [
    [WORKERS, "decoder=fast,scaled"],
    [WORKERS, "hdf5_reads=direct"],
    [WORKERS, "batched_reads=true"],
    [WORKERS, "shuffle=true", "shuffle_window=16"],
]


NAMES = '''
import torch

class Strategies(torch.utils.data.Dataset):
    """A sample is how its worker sends it, as a sequence of one token."""
    def __len__(self):
        return 12
    def __getitem__(self, index):
        if index >= len(self):
            raise IndexError(index)  # ends an iteration
        return {"input_ids": [int(torch.multiprocessing.get_sharing_strategy() == "file_system")]}

class Images(torch.Tensor):
    copies = []
    def to(self, device, non_blocking=False):
        self.copies.append(non_blocking)
        return self

class Tokenizer:
    def pad(self, features, **arguments):
        return arguments

dataset, device, tokenizer, N = Strategies(), "cpu", Tokenizer(), 16
x = torch.arange(24, dtype=torch.uint8).view(2, 3, 2, 2).as_subclass(Images)
mean, std = torch.tensor([0.25, 0.5, 0.75]).view(3, 1, 1), torch.tensor([0.5, 0.25, 0.125]).view(3, 1, 1)
'''


def cells_of(config, axes=()):
    done = subprocess.run([PROBE, config, *axes], capture_output=True, text=True)
    assert done.returncode == 0, (config, axes, done.stderr)
    return [json.loads(line) for line in done.stdout.splitlines()]


def paste(cell):
    """Runs the lines as a module, in which spawned workers find their definitions."""
    torch.multiprocessing.set_sharing_strategy("file_descriptor")
    importlib.import_module("paste_names").Images.copies.clear()
    folder = pathlib.Path(tempfile.mkdtemp(dir=sys.path[0]))
    (folder / f"{folder.name}.py").write_text("from paste_names import dataset, device, x, tokenizer, N, mean, std\n" + cell["code"])
    sys.path.append(str(folder))
    return vars(importlib.import_module(folder.name))


def plain_arguments(code):
    """The literal arguments of the call of DataLoader, by name."""
    call = next(node for node in ast.walk(ast.parse(code)) if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "DataLoader")
    return {key.arg: key.value.value for key in call.keywords if isinstance(key.value, ast.Constant)}


def check_sampler(loader, settings):
    if settings["group_by_length"]:
        assert type(loader.sampler).__name__ == ("Distributed" if settings["ranks"] > 1 else "") + "LengthGroupedSampler"
        assert loader.sampler.batch_size == settings["batch_size"]
    elif settings.get("ranks", 1) > 1:
        assert type(loader.sampler) is DistributedSampler
        assert (loader.sampler.shuffle, loader.sampler.drop_last) == (settings["shuffle"], settings["drop_last"])
    else:
        assert type(loader.sampler) is (RandomSampler if settings["shuffle"] else SequentialSampler)


def check_workers(loader, settings):
    for knob in ("prefetch_factor", "persistent_workers", "timeout"):
        assert getattr(loader, knob) == settings[knob], knob
    method = settings["multiprocessing_context"]
    if method == "default" and settings["engine"] == "torch":
        assert loader.multiprocessing_context is None
    else:
        expected = "fork" if method == "default" else method
        assert loader.multiprocessing_context.get_start_method() == expected
    if settings["worker_threads"]:
        usual = torch.get_num_threads()
        loader.worker_init_fn(0)
        assert torch.get_num_threads() == settings["worker_threads"]
        torch.set_num_threads(usual)
    if settings["transport"] == "file_system":
        assert torch.multiprocessing.get_sharing_strategy() == "file_system"
        assert all(strategy == 1 for batch in loader for strategy in batch["input_ids"][0]), "a worker sends otherwise"


def check_padding(loader, settings):
    padded = loader.collate_fn([{"input_ids": [1]}, {"input_ids": [1, 2]}])
    assert padded["padding"] == settings["padding"]
    assert padded["max_length"] == (16 if settings["padding"] == "max_length" else None)


def check_images(namespace, settings):
    """Checks `x` after the lines that copy and normalize it."""
    import paste_names

    sent, bytes_before = namespace["x"], paste_names.x
    if settings["copy_stream"] == "side":
        check_copies(namespace["on_device"], settings)
        assert not paste_names.Images.copies
    else:
        assert paste_names.Images.copies == [settings["non_blocking"]]
    if settings["normalize_on"] == "gpu":
        for channel in range(3):
            expected = (bytes_before[:, channel].double() / 255 - paste_names.mean[channel]) / paste_names.std[channel]
            assert torch.allclose(sent[:, channel].double(), expected)
    else:
        assert sent is bytes_before


def check(cell):
    settings = cell["settings"]
    namespace = paste(cell)
    if settings["loader"] != "cached":
        loader = namespace["loader"]
        for knob in ("batch_size", "num_workers", "pin_memory", "drop_last"):
            assert getattr(loader, knob) == settings[knob], knob
        if HAS_IN_ORDER:
            assert loader.in_order == (settings["in_order"] is not False)
        check_sampler(loader, settings)
        if settings["num_workers"] > 0:
            check_workers(loader, settings)
        if settings["padding"]:
            check_padding(loader, settings)
        assert plain_arguments(cell["code"]) == cell["kwargs"]
    if settings["trainer"] != "discard" and settings["device"] != "cpu":
        check_images(namespace, settings)


def can_run(cell):
    if cell["settings"]["loader_factory"] not in ("", "default", "torch.utils.data:DataLoader"):
        print(f"  {cell['settings']['loader_factory']} is no DataLoader: only parsed")
        return False
    if cell["settings"]["in_order"] is False and not HAS_IN_ORDER:
        print(f"  in_order=False needs torch 2.6: only parsed by {torch.__version__}")
        return False
    return True


def check_all(cells):
    for cell in cells:
        ast.parse(cell["code"])
        if cell["why_not"]:
            assert cell["code"] == f"# No lines to paste: {cell['why_not']}.\n", cell
        elif can_run(cell):
            try:
                check(cell)
            except Exception:
                print(cell["code"])
                raise


def check_own_functions(folder):
    """Checks the example that comes with feedrate, and a worker_init_fn."""
    sys.path.append(str(SOURCE / "configs"))
    config = pathlib.Path(folder) / "own.yaml"
    config.write_text("dataset: {torch: 'own_dataset:make_dataset', collate_fn: 'own_dataset:collate', "
                      "worker_init_fn: 'torch.random:manual_seed'}\ndevice: {name: 'sim:h200'}\n")
    for axes in ([WORKERS], [WORKERS, "transport=file_system"]):
        (cell,) = cells_of(config, axes)
        import own_dataset

        loader = paste(cell)["loader"]
        assert loader.collate_fn is own_dataset.collate
        called = loader.worker_init_fn
        assert called is torch.random.manual_seed or "manual_seed" in called.__code__.co_names


def join_a_group(folder):
    """Initializes a process group, because DistributedSampler needs the number of ranks."""
    torch.distributed.init_process_group("gloo", init_method=f"file://{folder}/meeting", rank=0, world_size=1)


def main():
    print(f"torch {torch.__version__}, Python {sys.version.split()[0]}")
    with tempfile.TemporaryDirectory() as folder:
        sys.path.insert(0, folder)
        sys.path.append(str(SOURCE / "tests/interop/stand_ins"))  # after installed packages
        (pathlib.Path(folder) / "paste_names.py").write_text(NAMES)
        join_a_group(folder)
        plain = pathlib.Path(folder) / "plain.yaml"
        plain.write_text("dataset: {path: x}\ndevice: {name: 'sim:h200'}\n")
        for axes in CASES:
            cells = cells_of(plain, axes)
            assert cells and all(not cell["why_not"] for cell in cells), axes
            check_all(cells)
        for axes in UNPASTABLE:
            cells = cells_of(plain, axes)
            assert cells and all(cell["why_not"] for cell in cells), axes
            check_all(cells)
        for axes in SEQUENCE_CASES:
            check_all(cells_of(SOURCE / "configs/tokens.yaml", axes))
        check_own_functions(folder)
        for config in sorted((SOURCE / "configs").rglob("*.yaml")):
            cells = cells_of(config)
            check_all(cells[:1] + cells[-1:])
            print("ok", config.relative_to(SOURCE))
        torch.distributed.destroy_process_group()


def main_with_the_newest():
    newest = os.environ.get("FEEDRATE_PYTHON_NEW")
    if not newest:
        print("FEEDRATE_PYTHON_NEW names no other Python: by this one only")
        return 0
    environment = {name: value for name, value in os.environ.items() if name != "FEEDRATE_PYTHON_NEW"}
    return subprocess.run([newest, *sys.argv], env=environment).returncode


if __name__ == "__main__":
    main()
    sys.exit(main_with_the_newest())
