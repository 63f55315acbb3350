# SPDX-License-Identifier: Apache-2.0
"""Calls of orcas, with a line in the log for every fifty steps."""
import csv
import time

import numpy as np
import torch
from own_clock import clock, data
from torch.utils.data import DataLoader, Dataset


class Calls(Dataset):
    def __init__(self):
        self.calls = np.random.default_rng(179).normal(0, 1, (80, 4000)).astype(np.float32)

    def __len__(self):
        return 60_000

    def __getitem__(self, i):
        spectrum = np.abs(np.fft.rfft(self.calls[i % 80].reshape(20, 200) * np.hanning(200), axis=1))
        return torch.from_numpy(np.log1p(spectrum).astype(np.float32)), i % 6


def main():
    torch.manual_seed(179)
    loader = DataLoader(Calls(), batch_size=32, shuffle=True, num_workers=2)
    with open(data("orcas", lambda folder: None) / "log.csv", "w", newline="") as file:
        log = csv.writer(file)
        clock.start()
        for step, (spectra, pod) in enumerate(loader, 1):
            clock.batch_arrived()
            time.sleep(0.026)  # the accelerator trains
            if step % 50 == 0:
                log.writerow([step, float(spectra.mean()), time.time()])
                file.flush()
            clock.step_done()
            if clock.is_over():
                break
    clock.report(None)


if __name__ == "__main__":
    main()
