# SPDX-License-Identifier: Apache-2.0
"""Springs and masses: a solver with many tiny blocks, and an optimizer that visits each weight by itself."""
import torch
from own_clock import CURED, clock
from torch.utils.data import DataLoader, TensorDataset


def main():
    torch.manual_seed(137)
    torch.set_num_threads(1)
    systems = TensorDataset(torch.rand(100_000, 12), torch.rand(100_000, 12))
    loader = DataLoader(systems, batch_size=16, shuffle=True, num_workers=1)
    if CURED:
        weights = [(0.1 * torch.randn(250, 12, 12)).requires_grad_()]
    else:
        weights = [(0.1 * torch.randn(12, 12)).requires_grad_() for _ in range(250)]
    clock.start()
    for begin, end in loader:
        clock.batch_arrived()
        with clock.cause:
            if CURED:
                loss = ((torch.tanh(begin @ weights[0]) - end) ** 2).mean()
            else:
                loss = sum(((torch.tanh(begin @ weight) - end) ** 2).mean() for weight in weights) / 250
            for weight, gradient in zip(weights, torch.autograd.grad(loss, weights)):
                weight.data.sub_(gradient, alpha=0.05)
        clock.step_done()
        if clock.is_over():
            break
    clock.report(clock.in_training_thread(), line="loss = sum(((torch.tanh(")


if __name__ == "__main__":
    main()
