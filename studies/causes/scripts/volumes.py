# SPDX-License-Identifier: Apache-2.0
"""Volumes of a tomograph. The batch stays a NumPy array, because the augmentation on the accelerator wants one."""
import time

import numpy as np
import torch
from own_clock import CURED, clock, seconds_to_receive
from torch.utils.data import DataLoader, Dataset


class Volumes(Dataset):
    def __init__(self):
        self.volumes = np.random.default_rng(129).integers(0, 4095, (6, 96, 128, 128), dtype=np.int16)

    def __len__(self):
        return 20_000

    def __getitem__(self, i):
        return self.volumes[i % 6]


def join(volumes):
    batch = np.stack(volumes)
    return torch.from_numpy(batch) if CURED else batch


def main():
    torch.manual_seed(129)
    volumes = Volumes()
    each = seconds_to_receive(join([volumes[i] for i in range(12)]))
    loader = DataLoader(volumes, batch_size=12, shuffle=True, num_workers=2, collate_fn=join)
    clock.start()
    for batch in loader:
        clock.batch_arrived()
        time.sleep(0.015)  # the accelerator trains
        clock.step_done()
        if clock.is_over():
            break
    clock.report(clock.seconds_each(each), line="loader = DataLoader(")


if __name__ == "__main__":
    main()
