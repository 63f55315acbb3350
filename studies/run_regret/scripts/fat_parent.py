# SPDX-License-Identifier: Apache-2.0
"""A parent with twenty million Python objects: workers are slow to fork, and copy the pages that they touch."""
import torch
from torch.utils.data import DataLoader, Dataset
from training import train, use_cpu, wait_for_gpu


class Records(Dataset):
    def __init__(self) -> None:
        self.values = [float(i) for i in range(20_000_000)]

    def __len__(self) -> int:
        return 16 * 1_500

    def __getitem__(self, index: int) -> torch.Tensor:
        use_cpu(0.8)
        first = index * 800
        return torch.tensor(self.values[first : first + 800])


if __name__ == "__main__":
    records = Records()
    train(lambda **settings: DataLoader(records, batch_size=16, shuffle=True, **settings), wait_for_gpu(15))
