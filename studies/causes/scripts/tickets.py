# SPDX-License-Identifier: Apache-2.0
"""Tickets of a help desk, in short epochs. Spawned workers are the safe choice, a forum said."""
import time

import torch
from own_clock import CURED, clock
from torch.utils.data import DataLoader, TensorDataset


def main():
    torch.manual_seed(148)
    tickets = TensorDataset(torch.randint(0, 9_000, (1_600, 48)), torch.randint(0, 7, (1_600,)))
    method = "fork" if CURED else "spawn"
    loader = DataLoader(tickets, batch_size=32, shuffle=True, num_workers=2, multiprocessing_context=method)
    clock.start()
    while not clock.is_over():
        clock.epoch()
        for words, team in loader:
            clock.batch_arrived()
            time.sleep(0.008)  # the accelerator trains
            clock.step_done()
    clock.report(clock.first_batches(), line='method = "fork" if CURED')


if __name__ == "__main__":
    main()
