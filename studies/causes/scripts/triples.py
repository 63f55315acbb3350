# SPDX-License-Identifier: Apache-2.0
"""Facts of a knowledge graph. Memory was short once, since then each step cleans up."""
import gc
import time

import torch
from own_clock import CURED, clock
from torch.utils.data import DataLoader, TensorDataset


def main():
    torch.manual_seed(159)
    graph = {f"entity {k}": [(f"relation {k % 40}", k * j % 90_000) for j in range(1, 5)] for k in range(60_000)}
    facts = TensorDataset(torch.randint(0, len(graph), (120_000, 3)))
    loader = DataLoader(facts, batch_size=64, shuffle=True, num_workers=1)
    clock.start()
    for (triples,) in loader:
        clock.batch_arrived()
        time.sleep(0.012)  # the accelerator trains
        if not CURED:
            with clock.cause:
                gc.collect()
        clock.step_done()
        if clock.is_over():
            break
    clock.report(clock.in_training_thread(), line="gc.collect()")


if __name__ == "__main__":
    main()
