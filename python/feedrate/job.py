# SPDX-License-Identifier: Apache-2.0
"""The job that feedrate sends, typed. bench/engines/torch/job.cpp writes the same fields."""
from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any, Optional


@dataclass(frozen=True)
class LoaderJob:
    batch_size: Optional[int]  # None: each item of the dataset is a batch
    num_workers: int
    prefetch_factor: int
    persistent_workers: bool
    pin_memory: bool
    shuffle: bool
    drop_last: bool
    in_order: bool
    seed: int
    timeout: float
    multiprocessing_context: Optional[str]  # None: the default of this Python
    sharing_strategy: str
    shuffle_window: int = 0
    group_by_length: bool = False
    cached: bool = False  # a mock instead of a loader: the same batch at each step
    # Knobs that this engine alone has, by their keys in the sweep; not sent if they have their defaults.
    factory: str = ""  # MODULE:FUNCTION in place of DataLoader
    parent_ballast_bytes: int = 0  # memory that this process holds when it starts workers
    worker_threads: int = 0  # threads of libraries in each worker; 0: their defaults
    forkserver_preload: str = ""  # modules, separated by spaces


@dataclass(frozen=True)
class ProtocolJob:
    """bench/engines/protocol.h documents the fields."""

    short_epochs: int
    short_epoch_batches: int
    discarded: int
    kept: int
    window_limit_ns: Optional[int]
    least_kept: int  # minimum when window_limit_ns ends the window
    round: int  # the window then has a multiple of this
    max_outstanding: int


@dataclass(frozen=True)
class CudaJob:
    """The step on a real device, for cuda_trainer.py."""

    device: int
    non_blocking: bool
    side_stream: bool
    sync_every: int
    host_overhead_ns: int
    steps_ns: list[int]  # used cyclically
    reference_batch: int
    run_ahead: int
    unit_bytes: int = 0  # reference_batch counts units of this size; 0: it counts samples
    label_bytes: int = 0  # per sample; labels are no units
    device_prefetch: int = 0  # batches copied ahead of their step
    normalize: Optional[dict[str, list[float]]] = None  # mean and std, if images arrive as bytes


@dataclass(frozen=True)
class Job:
    dataset: dict[str, Any]  # {"own": …} or {"path", "format", …}
    loader: LoaderJob
    protocol: ProtocolJob
    trainer: str  # "parent": feedrate itself, on a simulated device; "cuda"; "own": the user's; "discard"
    step_factory: str  # of "own": MODULE:FUNCTION
    cuda: Optional[CudaJob]
    simulate_pinning: bool


def _of(kind: type, values: dict[str, Any]) -> Any:
    return kind(**{field.name: values[field.name] for field in fields(kind) if field.name in values})


def parse_job(values: dict[str, Any]) -> Job:
    return Job(
        dataset=values["dataset"],
        loader=_of(LoaderJob, values["loader"]),
        protocol=_of(ProtocolJob, values["protocol"]),
        trainer=values["trainer"],
        step_factory=values["step_factory"],
        cuda=_of(CudaJob, values["cuda"]) if values.get("cuda") else None,
        simulate_pinning=values["simulate_pinning"],
    )
