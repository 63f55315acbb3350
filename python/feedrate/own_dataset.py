# SPDX-License-Identifier: Apache-2.0
"""Opens the user's own datasets: `dataset: {torch: "my_project.data:make_dataset", args: {…}}`."""
from __future__ import annotations

from typing import Any

from .failures import MissingPackage, Mistake
from .loading import Workload
from .own_modules import missing_package, named


def open_own_dataset(job: dict[str, Any]) -> Workload:
    make = named(job["factory"], "dataset.torch")
    functions: dict[str, Any] = {
        key: named(job[key], f"dataset.{key}") if job.get(key) else None
        for key in ("collate_fn", "worker_init_fn", "sampler", "batch_sampler")
    }
    arguments = job.get("args") or {}
    try:
        dataset = make(**arguments)
    except (ModuleNotFoundError, MissingPackage) as error:
        raise missing_package(error, f"dataset.torch: {job['factory']}") from error
    except Exception as error:
        shown = ", ".join(f"{name}={value!r}" for name, value in arguments.items())
        raise Mistake(
            f"dataset.torch: {job['factory']}({shown}) raised {type(error).__name__}: {error}; dataset.args must match its parameters"
        ) from error
    if dataset is None:
        raise Mistake(f"dataset.torch: {job['factory']} returned None; it must return the dataset")
    return Workload(dataset, own=True, **functions)
