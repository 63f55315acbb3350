# SPDX-License-Identifier: Apache-2.0
"""The profiler exercise of docs/courses/profiler.md: a training under torch.profiler, before and after its loader is tuned.

It writes before.json and after.json, for `feedrate trace before.json after.json`.
"""
import argparse
import pathlib
import time

import torch
from torch import nn
from torch.profiler import ProfilerActivity, profile, schedule
from torch.utils.data import DataLoader

from pictures import Pictures

SETTINGS = {
    "before": {"num_workers": 1},
    "after": {"num_workers": 6, "persistent_workers": True, "pin_memory": torch.cuda.is_available(), "prefetch_factor": 2},
}
PREFETCHED = 6 * 2  # These batches may be ready before the first step, so they do not show the loader's rate.
STEPS = PREFETCHED + 1 + 1 + 5 + 1


class StoredPictures(Pictures):
    """Each picture also waits for storage, like a file on a shared file system."""

    def __getitem__(self, index: int):
        time.sleep(0.004)
        return super().__getitem__(index)


def train(profiler: profile, loader: DataLoader, device: torch.device, non_blocking: bool) -> None:
    width = 32 if device.type == "cpu" else 512
    model = nn.Sequential(
        nn.Conv2d(3, width, 5), nn.ReLU(), nn.Conv2d(width, width, 5, stride=2), nn.ReLU(), nn.Flatten(), nn.Linear(144 * width, 10)
    ).to(device)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01, momentum=0.9)
    batches = iter(loader)
    for _ in range(STEPS):
        pictures, labels = next(batches)
        pictures, labels = pictures.to(device, non_blocking=non_blocking), labels.to(device, non_blocking=non_blocking)
        loss = nn.functional.cross_entropy(model(pictures), labels)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        profiler.step()


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--out", type=pathlib.Path, default=pathlib.Path(), help="folder of the traces")
    out = parser.parse_args().out
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    activities = [ProfilerActivity.CPU] + [ProfilerActivity.CUDA] * (device.type == "cuda")
    torch.set_num_threads(1)  # On few CPUs, workers slow down threads that wait for each other.
    if device.type == "cpu":
        print("no GPU: the traces have no kernels and no copies")
    for name, settings in SETTINGS.items():
        path = out / f"{name}.json"
        loader = DataLoader(StoredPictures(960), batch_size=32, shuffle=True, **settings)
        with profile(
            activities=activities,
            schedule=schedule(skip_first=PREFETCHED, wait=1, warmup=1, active=5, repeat=1),
            on_trace_ready=lambda profiler: profiler.export_chrome_trace(str(path)),
            profile_memory=True,
        ) as profiler:
            train(profiler, loader, device, non_blocking=name == "after")
        print(f"{path}: {settings}")


if __name__ == "__main__":
    main()
