"""What PyTorch's workers send: ready samples are collated and sent, and the trainer looks at every page.

Job: samples, floats (of a sample), workers, seconds.
"""
from __future__ import annotations

import torch
from torch.utils.data import DataLoader, Dataset

from measuring import ENDLESS, answer, rate, read_job

PAGE = 4096 // 4  # floats


class ReadySamples(Dataset):
    def __init__(self, floats):
        self.sample = torch.ones(floats)

    def __len__(self):
        return ENDLESS

    def __getitem__(self, index):
        return self.sample


def look_at(batch) -> int:
    batch.view(-1)[::PAGE].sum().item()
    return 1


def main() -> None:
    job = read_job()
    torch.set_num_threads(1)  # a thread more would take the worker's core
    loader = DataLoader(ReadySamples(job["floats"]), batch_size=job["samples"], num_workers=job["workers"], multiprocessing_context="fork")
    answer(value=rate(iter(loader), job, look_at))


if __name__ == "__main__":
    main()
