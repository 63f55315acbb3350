# SPDX-License-Identifier: Apache-2.0
"""The dataset counts its calls: at each fortieth it replaces a block of text, and it makes longer sequences as the count
grows. Each worker would count its own calls.

Source: opentensor/bittensor bittensor/_dataset/dataset_impl.py (sample_count, buffer_calls_per_update).
Expected: refused, with the reason naming sample_count or sample_buffer.
"""
import hashlib
import time
import torch
from torch.utils.data import DataLoader, Dataset


class GenesisText(Dataset):
    def __init__(self, buffer_size=4, buffer_calls_per_update=40):
        self.buffer_calls_per_update, self.sample_count, self.next_block = buffer_calls_per_update, 0, 0
        self.sample_buffer = []
        while len(self.sample_buffer) < buffer_size:
            self.sample_buffer.append(self.fetch_block())

    def fetch_block(self):
        block = [self.next_block * 1000 + place for place in range(200)]
        self.next_block += 1
        return block

    def __len__(self):
        return 430

    def __getitem__(self, index):
        time.sleep(0.0035)
        self.sample_count += 1
        if self.sample_count % self.buffer_calls_per_update == 0:
            self.sample_buffer.pop(0)
            self.sample_buffer.append(self.fetch_block())
        known = min(16, 4 + self.sample_count // 60)
        block, start = self.sample_buffer[index % len(self.sample_buffer)], index * 29 % 180
        return torch.tensor(block[start:start + known] + [0] * (16 - known))


if __name__ == "__main__":
    data, trained = GenesisText(), hashlib.sha256()
    loader = DataLoader(data, batch_size=2, shuffle=True, num_workers=0, generator=torch.Generator().manual_seed(7))
    for _ in range(2):
        for batch in loader:
            trained.update(batch.numpy().tobytes())
            time.sleep(0.0025)
    print("result:", trained.hexdigest()[:16], "samples:", data.sample_count)
