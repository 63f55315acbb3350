# SPDX-License-Identifier: Apache-2.0
"""Shared by all peers' scripts: discards the first batches and counts the batches of some seconds.

The first argument is the job in JSON; the last line on stdout is the answer in JSON.
"""
from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable, Iterator
from typing import Any

ENDLESS = 1 << 30  # samples per epoch, so that no epoch ends while it is measured


def read_job() -> dict[str, Any]:
    return json.loads(sys.argv[1])


def answer(**fields: Any) -> None:
    print(json.dumps(fields), flush=True)


def warm_up_batches(workers: int) -> int:
    """The number that feedrate discards: the first batch, and then at least those in flight when it came."""
    return 1 + max(5, 2 * workers)


def rate(batches: Iterator[Any], job: dict[str, Any], size_of: Callable[[Any], int]) -> float:
    """Samples per second of `batches`. Stops after whole turns of the workers, with as many batches in flight as at the beginning."""
    workers = job["workers"]
    for _ in range(warm_up_batches(workers)):
        next(batches)
    done = steps = 0
    begin = now = time.perf_counter()
    while now - begin < job["seconds"] or steps < 4 * workers or steps % max(workers, 1):
        batch = next(batches)
        done += size_of(batch)
        steps += 1
        now = time.perf_counter()
    return done / (now - begin)


def images_of(batch: Any) -> int:
    return len(batch[0])
