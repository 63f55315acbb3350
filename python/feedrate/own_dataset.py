# SPDX-License-Identifier: Apache-2.0
"""The user's own dataset, run as it is: `dataset: {torch: "my_project.data:make_dataset", args: {…}}`."""
from __future__ import annotations

import importlib
import sys
from typing import Any

from .failures import Mistake
from .loading import Workload


def open_own_dataset(job: dict[str, Any]) -> Workload:
    """`job`: factory, args, collate_fn, worker_init_fn, and the folders where modules are looked for."""
    for place, folder in enumerate(job["folders"]):
        sys.path.insert(1 + place, folder)
    make = _named(job["factory"], "dataset.torch")
    collate_fn = _named(job["collate_fn"], "dataset.collate_fn") if job.get("collate_fn") else None
    worker_init_fn = _named(job["worker_init_fn"], "dataset.worker_init_fn") if job.get("worker_init_fn") else None
    arguments = job.get("args") or {}
    try:
        dataset = make(**arguments)
    except Exception as error:
        shown = ", ".join(f"{name}={value!r}" for name, value in arguments.items())
        raise Mistake(
            f"dataset.torch: {job['factory']}({shown}) raised {type(error).__name__}: {error}; dataset.args must match its parameters"
        ) from error
    if dataset is None:
        raise Mistake(f"dataset.torch: {job['factory']} returned None; it must return the dataset")
    return Workload(dataset, collate_fn, worker_init_fn, own=True)


def _named(reference: str, key: str) -> Any:
    module_name, colon, path = reference.partition(":")
    if not colon or not module_name or not path:
        raise Mistake(f'{key}: "{reference}" is invalid; must be MODULE:FUNCTION, such as my_project.data:make_dataset')
    try:
        found = importlib.import_module(module_name)
    except ImportError as error:
        missing = error.name or ""
        if missing and (module_name == missing or module_name.startswith(missing + ".")):
            looked = ", ".join(folder for folder in sys.path[1:3])
            raise Mistake(
                f"{key}: no module {missing} (looked in {looked}, in $PYTHONPATH and among the packages of "
                f"{sys.executable}); put it next to the configuration, or run feedrate in its folder"
            ) from None
        raise Mistake(f"{key}: {module_name} cannot be imported: {error}; install what it needs for {sys.executable}") from error
    except Exception as error:
        raise Mistake(f"{key}: importing {module_name} raised {type(error).__name__}: {error}") from error
    for part in path.split("."):
        if not hasattr(found, part):
            raise Mistake(f"{key}: module {module_name} ({getattr(found, '__file__', 'built in')}) has no {path}; must be a function of the module")
        found = getattr(found, part)
    if not callable(found):
        raise Mistake(f"{key}: {reference} is a {type(found).__name__}; must be a function or a class")
    return found
