# SPDX-License-Identifier: Apache-2.0
"""House prices; the features of a house are in a key-value store, asked for sequentially."""
import os
import socket
import time

import torch
from own_clock import CURED, clock
from torch.utils.data import DataLoader, Dataset

FEATURES = ["area", "rooms", "year", "floor", "garden", "garage", "station", "school", "noise", "heating"]


class Store:
    def __init__(self, address):
        host, port = address.split(":")
        self.connection = socket.create_connection((host, int(port)))
        self.lines = self.connection.makefile("r")

    def get(self, keys):
        self.connection.sendall(("GET " + " ".join(keys) + "\n").encode())
        return [float(value) for value in self.lines.readline().split()]


class Houses(Dataset):
    def __init__(self, address):
        self.address = address
        self.store = None

    def __len__(self):
        return 200_000

    @clock.work
    def __getitem__(self, i):
        if self.store is None:
            self.store = Store(self.address)
        keys = [f"house:{i}:{feature}" for feature in FEATURES]
        with clock.cause:
            values = self.store.get(keys) if CURED else [self.store.get([key])[0] for key in keys]
        return torch.tensor(values), values[0] * 0.01


def main():
    torch.manual_seed(118)
    loader = DataLoader(Houses(os.environ["CAUSES_SERVER"]), batch_size=8, shuffle=True, num_workers=2)
    clock.start()
    for features, price in loader:
        clock.batch_arrived()
        time.sleep(0.010)  # the accelerator trains
        clock.step_done()
        if clock.is_over():
            break
    clock.report(clock.in_workers(), line="return [float(value) for value in")


if __name__ == "__main__":
    main()
