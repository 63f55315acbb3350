# SPDX-License-Identifier: Apache-2.0
"""Free places in car parks. The validation loader's workers wait from one validation to the next."""
import time

import torch
from own_clock import clock
from torch.utils.data import DataLoader, TensorDataset


def cameras(seed, length):
    generator = torch.Generator().manual_seed(seed)
    return TensorDataset(torch.rand(length, 3, 24, 24, generator=generator), torch.randint(0, 2, (length,), generator=generator))


def main():
    torch.manual_seed(175)
    train = DataLoader(cameras(175, 20_000), batch_size=24, shuffle=True, num_workers=1)
    validation = DataLoader(cameras(176, 480), batch_size=48, num_workers=2, persistent_workers=True)
    clock.start()
    for step, (pictures, free) in enumerate(train, 1):
        clock.batch_arrived()
        time.sleep(0.024)  # the accelerator trains
        if step % 150 == 0:
            for pictures, free in validation:
                time.sleep(0.010)  # the accelerator infers
        clock.step_done()
        if clock.is_over():
            break
    clock.report(None)


if __name__ == "__main__":
    main()
