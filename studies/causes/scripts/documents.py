# SPDX-License-Identifier: Apache-2.0
"""Documents of an object store, each fetched by its own request."""
import os
import time
import urllib.request

import torch
from own_clock import CURED, clock
from torch.utils.data import DataLoader, Dataset


class Documents(Dataset):
    def __init__(self, store):
        self.store = store

    def __len__(self):
        return 100_000

    @clock.work
    def __getitem__(self, i):
        with clock.cause:
            with urllib.request.urlopen(f"http://{self.store}/bucket/document-{i}") as answer:
                body = answer.read()
        return torch.frombuffer(bytearray(body), dtype=torch.uint8), i % 16


def main():
    torch.manual_seed(117)
    loader = DataLoader(Documents(os.environ["CAUSES_SERVER"]), batch_size=8, shuffle=True, num_workers=8 if CURED else 2)
    clock.start()
    for documents, topic in loader:
        clock.batch_arrived()
        time.sleep(0.010)  # the accelerator trains
        clock.step_done()
        if clock.is_over():
            break
    clock.report(clock.in_workers(), line="urllib.request.urlopen(")


if __name__ == "__main__":
    main()
