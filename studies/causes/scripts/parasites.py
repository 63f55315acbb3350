# SPDX-License-Identifier: Apache-2.0
"""Parasites in drops of blood; the sheet of the laboratory has a row for each drop."""
import csv
import time

import numpy as np
import torch
from own_clock import CURED, clock, data
from torch.utils.data import DataLoader, Dataset

DROPS = 4_000


def write(folder):
    rng = np.random.default_rng(170)
    with open(folder / "sheet.csv", "w", newline="") as file:
        rows = csv.writer(file)
        rows.writerow(["drop", "stage", "count", "operator", "date"])
        rows.writerows([k, k % 5, int(rng.integers(0, 300)), f"operator {k % 7}", f"2026-03-{k % 28 + 1:02}"] for k in range(DROPS))


class Drops(Dataset):
    def __init__(self, folder):
        self.sheet = folder / "sheet.csv"
        self.pictures = np.random.default_rng(171).integers(0, 255, (60, 64, 64), dtype=np.uint8)
        self.rows = self.parse() if CURED else None

    def parse(self):
        with open(self.sheet, newline="") as file:
            return {row["drop"]: row for row in csv.DictReader(file)}

    def __len__(self):
        return 80_000

    @clock.work
    def __getitem__(self, i):
        with clock.cause:
            rows = self.rows or self.parse()
        row = rows[str(i % DROPS)]
        return torch.from_numpy(self.pictures[i % 60]), int(row["count"])


def main():
    torch.manual_seed(170)
    loader = DataLoader(Drops(data("parasites", write)), batch_size=8, shuffle=True, num_workers=2)
    clock.start()
    for drops, counts in loader:
        clock.batch_arrived()
        time.sleep(0.010)  # the accelerator trains
        clock.step_done()
        if clock.is_over():
            break
    clock.report(clock.in_workers(), line="for row in csv.DictReader(file)")


if __name__ == "__main__":
    main()
