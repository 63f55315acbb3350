# SPDX-License-Identifier: Apache-2.0
"""The child process of the PyTorch engine: it receives a job and measures one start of a loader."""
from __future__ import annotations

import ctypes
import faulthandler
import importlib
import importlib.util
import multiprocessing
import os
import platform
import signal
import sys
import warnings
from pathlib import Path
from typing import Any

from .channel import CHANNEL, Channel, ParentGone
from .failures import MissingPackage, Mistake, describe
from .fork_server import serve
from .sockets import keep_sockets_in

_PR_SET_PDEATHSIG = 1


def main() -> None:
    channel = Channel(CHANNEL)
    try:
        job = _begin(channel)
        if "serve" in job:
            _import_torch()
            channel = serve(channel, job["serve"]["modules"])
            job = _begin(channel)
        _run(job, channel)
    except ParentGone:
        os._exit(1)
    except BaseException as error:
        channel.send("error", **describe(error))
        sys.exit(1)


def _begin(channel: Channel) -> dict[str, Any]:
    _prepare(channel)
    job = channel.receive_job()
    _end_with(job["parent"])
    return job


def _prepare(channel: Channel) -> None:
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))  # DataLoader cleans up
    faulthandler.register(signal.SIGUSR1, all_threads=False)  # shows where a process hangs; forked workers inherit it
    keep_sockets_in(str(Path(__file__).parents[1]))
    me = os.getpid()
    usual = warnings.showwarning

    def show(message: Any, category: Any, filename: str, lineno: int, file: Any = None, line: Any = None) -> None:
        if os.getpid() != me:  # a worker's goes to stderr
            usual(message, category, filename, lineno, file, line)
        else:
            channel.send("warning", text=f"{category.__name__}: {message}")

    warnings.showwarning = show


def _end_with(parent: int) -> None:
    """Makes the kernel kill this process when feedrate dies, which may happen while the process waits for a worker."""
    try:
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, int(signal.SIGKILL), 0, 0, 0)
    except (OSError, AttributeError):
        pass  # not Linux: the closed channel ends this process
    if os.getppid() != parent:
        raise ParentGone


def _run(job: dict[str, Any], channel: Channel) -> None:
    torch = _import_torch()
    if "module_folders" in job:
        from .own_modules import look_for_modules

        look_for_modules(job["module_folders"])
    channel.send("hello", python=platform.python_version(), torch=torch.__version__)
    if "probe" in job:
        _probe(job["probe"], channel)
        return
    _run_cell(job, channel, torch)


def _import_torch() -> Any:
    try:
        import torch
        import torch.utils.data
    except Exception as error:
        raise Mistake(
            f"{sys.executable} cannot import torch: {type(error).__name__}: {error}; {sys.executable} -m pip install torch, or "
            "set FEEDRATE_PYTHON to a Python that has it"
        ) from None
    return torch


def _probe(probe: dict[str, Any], channel: Channel) -> None:
    """Reports, before any measurement, whatever would make a cell fail."""
    versions = {name: _version_of(name, package) for name, package in probe["modules"].items()}
    missing = {}
    for name, package in probe.get("format_modules", {}).items():
        try:
            versions[name] = _version_of(name, package)
        except Mistake as mistake:
            missing[name] = " ".join(str(mistake).split())
    if probe.get("cuda"):
        _require_cuda()
    missing.update(_missing_own(probe.get("own") or {}, probe.get("functions") or {}))
    # Imports come first, because the user's module may set the start method.
    channel.send("probed", modules=versions, missing=missing, start_method=multiprocessing.get_start_method())


def _missing_own(datasets: dict[str, Any], functions: dict[str, str]) -> dict[str, str]:
    """The messages of user datasets and functions that lack a package. A single dataset must open; one of several only fails its cells."""
    from .own_modules import named

    missing = {}
    for need, dataset in datasets.items():
        from .own_dataset import open_own_dataset

        try:
            open_own_dataset(dataset)
        except Mistake as mistake:
            if len(datasets) == 1:
                raise
            if isinstance(mistake, MissingPackage):
                missing[need] = " ".join(str(mistake).split())
    for need, function in functions.items():
        try:
            named(function, need.partition(" ")[0])
        except MissingPackage as lacking:
            missing[need] = " ".join(str(lacking).split())
    return missing


def _version_of(name: str, package: str) -> str:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            module = importlib.import_module(name)
    except Exception as error:
        raise Mistake(f"{sys.executable} cannot import {name}: {error}; {sys.executable} -m pip install {package}") from None
    return str(getattr(module, "__version__", "present"))


def _require_cuda() -> None:
    import torch

    if not torch.cuda.is_available():
        raise Mistake(
            f"device cuda: torch {torch.__version__} of {sys.executable} sees no GPU (it was built for CUDA {torch.version.cuda}); "
            "install a torch with CUDA, or use a simulated device"
        )


def _run_cell(values: dict[str, Any], channel: Channel, torch: Any) -> None:
    from . import simulated_accelerator
    from .job import parse_job
    from .loading import open_feed
    from .protocol import Measuring

    job = parse_job(values)
    torch.multiprocessing.set_sharing_strategy(job.loader.sharing_strategy)
    if job.simulate_pinning:
        simulated_accelerator.install()
    workload = _open_workload(job.dataset)
    if job.loader.forkserver_preload:
        _preload(job.loader.forkserver_preload.split())
    ballast = torch.ones(job.loader.parent_ballast_bytes, dtype=torch.uint8)  # fork copies the page table of touched pages
    feed = open_feed(workload, job.loader)
    channel.send(
        "prepared", batches_per_epoch=feed.batches_per_epoch, samples_dropped=feed.samples_dropped
    )
    trainer = _make_trainer(job, channel, torch)
    Measuring(feed, trainer, channel, job.protocol).run()
    workload.at_end()
    channel.ask("done", pinned_bytes=_pinned_bytes(job, torch))
    del feed  # ends persistent workers here, in the order that DataLoader needs
    del ballast


def _preload(modules: list[str]) -> None:
    """Sets the modules that the fork server imports. It ignores import errors, and before Python 3.13 it searches only $PYTHONPATH."""
    for name in modules:
        try:
            found = importlib.util.find_spec(name)
        except ModuleNotFoundError:
            found = None
        if found is None:
            raise Mistake(f"forkserver_preload: there is no module {name}; put it next to the configuration, or install its package")
    os.environ["PYTHONPATH"] = os.pathsep.join(entry for entry in sys.path if entry and os.pathsep not in entry)
    multiprocessing.set_forkserver_preload(modules)


def _open_workload(dataset: dict[str, Any]) -> Any:
    if dataset.get("own"):
        from .own_dataset import open_own_dataset

        return open_own_dataset(dataset["own"])
    if dataset.get("resize_bytes"):
        from .byte_records import open_bytes

        return open_bytes(dataset)
    if dataset.get("tokens"):
        from .sequences import open_sequences

        return open_sequences(dataset)
    if dataset.get("sample_points"):
        from .points import open_points

        return open_points(dataset)
    from .images import open_images

    return open_images(dataset)


def _make_trainer(job: Any, channel: Channel, torch: Any) -> Any:
    from .cuda_trainer import CudaTrainer, TimedCompute, make_normalize
    from .device_step import make_step
    from .trainers import DiscardTrainer, ParentTrainer

    if job.trainer == "own":
        from .own_step import CpuTrainer, OwnCompute, open_own_step

        if job.cuda is None:
            return CpuTrainer(channel, open_own_step(job.step_factory, torch.device("cpu")))
        torch.cuda.set_device(job.cuda.device)
        step = open_own_step(job.step_factory, torch.device("cuda", job.cuda.device))
        return CudaTrainer(channel, job.cuda, torch.cuda, OwnCompute(step))
    if job.trainer == "cuda":
        name, step = make_step(torch, job.cuda.device, lambda text: channel.send("warning", text=text))
        channel.send("device_step", name=name)
        values = job.cuda.normalize
        normalize = make_normalize(values, f"cuda:{job.cuda.device}") if values else None
        return CudaTrainer(channel, job.cuda, torch.cuda, TimedCompute(job.cuda, step, normalize))
    return ParentTrainer(channel) if job.trainer == "parent" else DiscardTrainer(channel)


def _pinned_bytes(job: Any, torch: Any) -> int:
    from . import simulated_accelerator

    if job.simulate_pinning:
        return simulated_accelerator.pinned_bytes()
    if job.cuda is not None and hasattr(torch.cuda, "host_memory_stats"):  # since torch 2.6
        return int(torch.cuda.host_memory_stats().get("allocated_bytes.peak", 0))
    return 0
