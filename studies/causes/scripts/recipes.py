# SPDX-License-Identifier: Apache-2.0
"""Recipes as they come from the database: a batch is a list of dictionaries with their ingredients."""
import time

import torch
from own_clock import CURED, clock, seconds_to_receive
from torch.utils.data import DataLoader, Dataset


class Recipes(Dataset):
    def __init__(self):
        self.recipes = [self.recipe(i) for i in range(1500)]

    def recipe(self, i):
        return {"title": f"recipe {i}", "ingredients": [{"name": f"item {i * k % 5003}", "grams": k * 1.7 + i, "unit": ("g", k)} for k in range(110)]}

    def __len__(self):
        return 100_000

    def __getitem__(self, i):
        if CURED:
            return torch.arange(i, i + 330, dtype=torch.float32)
        return self.recipes[i % 1500]


def main():
    torch.manual_seed(127)
    recipes = Recipes()
    join = torch.stack if CURED else list
    each = seconds_to_receive(join([recipes[i] for i in range(256)]))
    loader = DataLoader(recipes, batch_size=256, shuffle=True, num_workers=2, collate_fn=join)
    clock.start()
    for batch in loader:
        clock.batch_arrived()
        time.sleep(0.010)  # the accelerator trains
        clock.step_done()
        if clock.is_over():
            break
    clock.report(clock.seconds_each(each), line="join = torch.stack if CURED else list")


if __name__ == "__main__":
    main()
