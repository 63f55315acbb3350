# SPDX-License-Identifier: Apache-2.0
"""Writes a feedrate dataset by another package, and reads it back: `feedrate data convert SRC DST --format lance`.

    python -m feedrate.adapters.convert SRC FORMAT_OF_SRC DRAFT FORMAT DST

The program moves DRAFT to DST when this succeeds, and removes it otherwise.
"""
from __future__ import annotations

import importlib
import sys
import time
from collections.abc import Iterator
from typing import Any

from ..failures import Mistake
from ..own_modules import missing_package
from .images import Encoded, decode, pixels
from .records import Records


def main() -> None:
    source, of_source, draft, to, target = sys.argv[1:6]
    try:
        module = importlib.import_module(f"feedrate.adapters.{to}")
        records = Records(source, of_source)
        module.write(_with_progress(records, "written"), draft)
        _verify(records, module.open(draft), target)
    except ModuleNotFoundError as error:
        sys.exit(str(missing_package(error, f"format {to}")))
    except Mistake as mistake:
        sys.exit(str(mistake))
    except OSError as error:
        sys.exit(f"{target}: cannot be written: {error}")
    except KeyboardInterrupt:
        sys.exit(130)


def _verify(records: Records, dataset: Any, target: str) -> None:
    samples = iter(dataset) if hasattr(dataset, "__iter__") else (dataset[index] for index in range(len(dataset)))
    count = Mistake(f"{target}: does not hold as many records as were written, {len(records)}")
    for number, expected in enumerate(_with_progress(records, "verified")):
        wanted = _pixels(expected, records.name(number))  # First: fails here for a damaged image.
        found = next(samples, None)
        if found is None:
            raise count
        if expected.label != found[1] or not wanted.equal(found[0]):
            raise Mistake(f"{target}: record {number} is not what was written")
    if next(samples, None) is not None:
        raise count


def _pixels(encoded: Encoded, name: str) -> Any:
    try:
        return pixels(decode(encoded.data))
    except (OSError, SyntaxError, ValueError) as error:  # Pillow's errors for a truncated or damaged image.
        raise Mistake(f"{name}: {error}; convert the dataset to tar first, which leaves damaged images out") from None


def _with_progress(records: Records, done: str) -> Iterator[Encoded]:
    last = time.monotonic()
    for index in range(len(records)):
        yield records.read([index])[0]
        if time.monotonic() - last > 5:
            last = time.monotonic()
            print(f"{index + 1:,} of {len(records):,} {done}", file=sys.stderr, flush=True)


if __name__ == "__main__":
    main()
