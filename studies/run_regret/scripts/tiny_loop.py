# SPDX-License-Identifier: Apache-2.0
"""A loop that does nothing with small tensors from memory, and the cost of a step: wall time, CPU time of the process, and, if
count_allocations.so is preloaded, allocations."""
import argparse
import ctypes
import json
import time

import torch
from torch.utils.data import DataLoader, Dataset


class Rows(Dataset):
    def __init__(self) -> None:
        self.rows = list(torch.rand(4096, 4))

    def __len__(self) -> int:
        return 1 << 40

    def __getitem__(self, index: int) -> torch.Tensor:
        return self.rows[index & 4095]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--batch-sizes", type=int, nargs="+", default=[8], help="one loader each, in sequence; default 8")
    parser.add_argument("--warm-up", type=float, default=0.5, help="seconds before; default 0.5")
    parser.add_argument("--steps", type=int, default=20_000, help="steps to measure; default 20000")
    parser.add_argument("--out", required=True, help="file for the result, JSON")
    arguments = parser.parse_args()
    torch.set_num_threads(1)
    rows = [measure(batch_size, arguments.warm_up, arguments.steps) for batch_size in arguments.batch_sizes]
    with open(arguments.out, "w") as file:
        json.dump(rows, file)


def measure(batch_size: int, warm_up: float, steps: int) -> list:
    allocations = getattr(ctypes.CDLL(None), "counted_allocations", lambda: 0)
    batches = iter(DataLoader(Rows(), batch_size=batch_size))
    until = time.perf_counter() + warm_up
    while time.perf_counter() < until:
        next(batches)
    before = (time.perf_counter(), time.process_time(), allocations())
    for _ in range(steps):
        next(batches)
    after = (time.perf_counter(), time.process_time(), allocations())
    return [end - begin for begin, end in zip(before, after)]


if __name__ == "__main__":
    main()
