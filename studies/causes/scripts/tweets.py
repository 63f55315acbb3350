# SPDX-License-Identifier: Apache-2.0
"""A stream of short messages. Workers share the files of the folder among them, and there is one file."""
import time

import torch
from own_clock import CURED, clock, data
from torch.utils.data import DataLoader, IterableDataset, get_worker_info


def write(folder):
    for name, parts in (("one", 1), ("four", 4)):
        (folder / name).mkdir()
        for part in range(parts):
            text = [" ".join(f"w{(k * 7 + j * j) % 997}" for j in range(120)) for k in range(part, 4000, parts)]
            (folder / name / f"part{part}.txt").write_text("\n".join(text))


class Messages(IterableDataset):
    def __init__(self, folder):
        self.files = sorted(folder.iterdir())

    def encode(self, line):
        time.sleep(0.001)  # the spelling service
        return torch.tensor([hash(word[: k + 1]) % 30_000 for word in line.split() for k in range(len(word))][:256])

    def __iter__(self):
        info = get_worker_info()
        own = self.files[info.id :: info.num_workers]
        lines = [line for path in own for line in path.read_text().splitlines()]
        while lines:
            for line in lines:
                with clock.work:
                    ids = self.encode(line)
                yield ids


def main():
    torch.manual_seed(121)
    folder = data("tweets", write) / ("four" if CURED else "one")
    loader = DataLoader(Messages(folder), batch_size=32, num_workers=4)
    clock.start()
    for ids in loader:
        clock.batch_arrived()
        time.sleep(0.008)  # the accelerator trains
        clock.step_done()
        if clock.is_over():
            break
    clock.report(clock.idle_workers(4), line="own = self.files[info.id")


if __name__ == "__main__":
    main()
