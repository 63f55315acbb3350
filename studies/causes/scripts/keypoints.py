# SPDX-License-Identifier: Apache-2.0
"""Keypoints of hands: the loss of each joint is added up as a number."""
import torch
from own_clock import CURED, clock, skip_without_gpu
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


def main():
    skip_without_gpu()
    torch.manual_seed(138)
    hands = TensorDataset(torch.rand(60_000, 1024), torch.rand(60_000, 42))
    loader = DataLoader(hands, batch_size=512, shuffle=True, num_workers=2, pin_memory=True, persistent_workers=True)
    joints = nn.ModuleList(nn.Sequential(nn.Linear(1024, 4096), nn.ReLU(), nn.Linear(4096, 1)) for _ in range(42)).cuda()
    optimizer = torch.optim.SGD(joints.parameters(), 0.001, foreach=True)
    clock.start()
    while not clock.is_over():
        for features, places in loader:
            clock.batch_arrived()
            features, places = features.cuda(non_blocking=True), places.cuda(non_blocking=True)
            total = 0.0
            for k, joint in enumerate(joints):
                loss = (joint(features)[:, 0] - places[:, k]).square().mean()
                loss.backward()
                with clock.cause:
                    total += loss.detach() if CURED else loss.item()
            optimizer.step()
            optimizer.zero_grad()
            clock.step_done()
            if clock.is_over():
                break
    torch.cuda.synchronize()
    clock.report(clock.in_training_thread(), line="total += loss.detach() if CURED")


if __name__ == "__main__":
    main()
