# SPDX-License-Identifier: Apache-2.0
"""Superpixels; each layer's time goes to a log, so that the slow one is found some day."""
import time

import torch
from own_clock import CURED, clock, skip_without_gpu
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


def main():
    skip_without_gpu()
    torch.manual_seed(139)
    pictures = TensorDataset(torch.rand(20_000, 512))
    loader = DataLoader(pictures, batch_size=1024, shuffle=True, num_workers=2, pin_memory=True, persistent_workers=True)
    layers = [nn.Linear(512, 2048), nn.ReLU(), nn.Linear(2048, 512), nn.ReLU()] * 10
    network = nn.ModuleList(layers).cuda()
    log = []
    clock.start()
    while not clock.is_over():
        for (values,) in loader:
            clock.batch_arrived()
            values = values.cuda(non_blocking=True)
            with torch.no_grad():
                for layer in network:
                    begun = time.perf_counter()
                    values = layer(values)
                    if not CURED:
                        with clock.cause:
                            torch.cuda.synchronize()
                    log.append(time.perf_counter() - begun)
            clock.step_done()
            if clock.is_over():
                break
    torch.cuda.synchronize()
    clock.report(clock.in_training_thread(), line="                            torch.cuda.synchronize()")


if __name__ == "__main__":
    main()
