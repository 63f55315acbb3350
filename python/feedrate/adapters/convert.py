# SPDX-License-Identifier: Apache-2.0
"""Writes a dataset of feedrate's by another package, and reads it back: `feedrate data convert SRC DST --format lance`.

    python -m feedrate.adapters.convert SRC FORMAT_OF_SRC DST FORMAT
"""
from __future__ import annotations

import importlib
import os
import shutil
import sys
import time
from collections.abc import Iterator
from typing import Any

from ..failures import Mistake
from ..own_modules import missing_package
from .images import Encoded, decode, pixels
from .records import Records


def main() -> None:
    source, of_source, target, to = sys.argv[1:5]
    if os.path.lexists(target):
        sys.exit(f"{target}: exists already; remove it, or choose another target")
    done = False
    try:
        module = importlib.import_module(f"feedrate.adapters.{to}")
        records = Records(source, of_source)
        module.write(_told(records, "written"), target)
        _verify(records, module.open(target), target)
        done = True
    except ModuleNotFoundError as error:
        sys.exit(str(missing_package(error, f"format {to}")))
    except Mistake as mistake:
        sys.exit(str(mistake))
    except KeyboardInterrupt:
        sys.exit(130)
    finally:
        if not done:
            _remove(target)
    print(f"{target}: {len(records):,} records of {source} ({of_source}), as {to}; pixels and labels verified")


def _verify(records: Records, dataset: Any, target: str) -> None:
    samples = iter(dataset) if hasattr(dataset, "__iter__") else (dataset[index] for index in range(len(dataset)))
    count = 0
    for number, (expected, found) in enumerate(zip(_told(records, "verified"), samples)):
        count += 1
        if expected.label != found[1] or not pixels(decode(expected.data)).equal(found[0]):
            raise Mistake(f"{target}: record {number} is not what was written")
    if count != len(records) or next(samples, None) is not None:
        raise Mistake(f"{target}: does not hold as many records as were written, {len(records)}")


def _told(records: Records, done: str) -> Iterator[Encoded]:
    """With a line each few seconds."""
    last = time.monotonic()
    for index in range(len(records)):
        yield records.read([index])[0]
        if time.monotonic() - last > 5:
            last = time.monotonic()
            print(f"{index + 1:,} of {len(records):,} {done}", file=sys.stderr, flush=True)


def _remove(path: str) -> None:
    if os.path.isdir(path):
        shutil.rmtree(path)
    elif os.path.lexists(path):
        os.remove(path)


if __name__ == "__main__":
    main()
