# SPDX-License-Identifier: Apache-2.0
"""What feedrate asks for: the fields of the job, typed. bench/engines/torch/job.cpp writes them."""
from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any, Optional


@dataclass(frozen=True)
class LoaderJob:
    """The arguments of DataLoader by their own names."""

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
    factory: str = ""  # MODULE:FUNCTION in place of DataLoader
    parent_ballast_bytes: int = 0  # that this process holds when it starts workers
    worker_threads: int = 0  # of libraries in each worker; 0: as these set them
    forkserver_preload: str = ""  # modules, with a space between them
    cached: bool = False  # no loader but a mock: one batch again and again


@dataclass(frozen=True)
class ProtocolJob:
    """bench/engines/protocol.h says what each is for."""

    short_epochs: int
    short_epoch_batches: int
    discarded: int
    kept: int
    window_limit_ns: Optional[int]
    least_kept: int  # where window_limit_ns ends the window
    round: int  # of which it then has whole ones
    max_outstanding: int


@dataclass(frozen=True)
class CudaJob:
    """The step on a real device; see cuda_trainer.py."""

    device: int
    non_blocking: bool
    side_stream: bool
    sync_every: int
    host_overhead_ns: int
    steps_ns: list[int]  # from the first again after the last
    reference_batch: int
    run_ahead: int
    unit_bytes: int = 0  # a step is for reference_batch units of this size; 0: samples
    label_bytes: int = 0  # of each sample, which are no units
    device_prefetch: int = 0  # batches sent ahead of the step that they are for
    normalize: Optional[dict[str, list[float]]] = None  # mean and std, where images cross as bytes


@dataclass(frozen=True)
class Job:
    dataset: dict[str, Any]  # {"own": …} or {"path", "format", …}: datasets.py
    loader: LoaderJob
    protocol: ProtocolJob
    trainer: str  # "parent": feedrate's, on a simulated device; "cuda"; "own": the user's; "discard"
    step_factory: str  # of "own": MODULE:FUNCTION
    cuda: Optional[CudaJob]
    simulate_pinning: bool


def _of(kind: type, values: dict[str, Any]) -> Any:
    return kind(**{field.name: values[field.name] for field in fields(kind)})


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
