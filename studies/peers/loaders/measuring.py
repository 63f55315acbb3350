# SPDX-License-Identifier: Apache-2.0
"""What every peer's script does with its loader: it throws the first batches away and counts what comes in some seconds.

The job is the first argument, JSON; the answer is the last line on stdout, JSON, too.
"""
from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable, Iterator
from typing import Any

ENDLESS = 1 << 30  # samples of an epoch, so that none ends while it is measured


def read_job() -> dict[str, Any]:
    return json.loads(sys.argv[1])


def answer(**fields: Any) -> None:
    print(json.dumps(fields), flush=True)


def warm_up_batches(workers: int) -> int:
    """As many as feedrate discards: the first, and then at least what was under way when it came."""
    return 1 + max(5, 2 * workers)


def rate(batches: Iterator[Any], job: dict[str, Any], size_of: Callable[[Any], int]) -> float:
    """What `batches` yields in a second. Ends with as much under way as it began with: after whole turns of the workers."""
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
