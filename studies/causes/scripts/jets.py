# SPDX-License-Identifier: Apache-2.0
"""Jets of an engine, simulated by a small network. A NaN in spring was found with the help of autograd."""
import torch
from own_clock import CURED, clock, seconds_of
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


def step(model, optimizer, inputs, outputs):
    values = inputs
    for layer in model:
        values = values + torch.tanh(layer(values)) * 0.1
    loss = (values[:, 0] - outputs).square().mean()
    loss.backward()
    optimizer.step()
    optimizer.zero_grad()


def main():
    torch.manual_seed(167)
    torch.set_num_threads(1)
    flows = TensorDataset(torch.rand(60_000, 24), torch.rand(60_000))
    loader = DataLoader(flows, batch_size=32, shuffle=True, num_workers=1)
    model = nn.ModuleList(nn.Linear(24, 24) for _ in range(20))
    optimizer = torch.optim.SGD(model.parameters(), 0.01)
    plain = seconds_of(lambda: step(model, optimizer, *flows[:32]), 60)
    torch.autograd.set_detect_anomaly(not CURED)
    clock.start()
    while not clock.is_over():
        for inputs, outputs in loader:
            clock.batch_arrived()
            step(model, optimizer, inputs, outputs)
            clock.step_done()
            if clock.is_over():
                break
    clock.report(clock.training_beyond(plain), line="torch.autograd.set_detect_anomaly(")


if __name__ == "__main__":
    main()
