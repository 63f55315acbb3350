# SPDX-License-Identifier: Apache-2.0
"""A dataset as a user writes it; feedrate runs it unmodified. See own-dataset.yaml."""
import torch
from torch.utils.data import Dataset


class Chirps(Dataset):
    """Noisy tones of varying length, and the spectrum that a model is to tell them apart by."""

    def __init__(self, length, signal, seed):
        self.lengths = torch.randint(signal // 2, signal + 1, (length,), generator=torch.Generator().manual_seed(seed))

    def __len__(self):
        return len(self.lengths)

    def __getitem__(self, index):
        time = torch.arange(int(self.lengths[index])) / 1000
        wave = torch.sin(50 * (1 + index % 10) * time) + 0.1 * torch.randn(len(time))
        return {"wave": wave, "spectrum": torch.stft(wave, 256, window=torch.hann_window(256), return_complex=True).abs(), "label": index % 10}


def make_dataset(length, signal, seed):
    return Chirps(length, signal, seed)


def collate(samples):
    """Waves differ in length: they are padded to the longest of the batch."""
    pad = torch.nn.utils.rnn.pad_sequence
    return {
        "wave": pad([sample["wave"] for sample in samples], batch_first=True),
        "spectrum": pad([sample["spectrum"].T for sample in samples], batch_first=True),
        "label": torch.tensor([sample["label"] for sample in samples]),
    }
