# SPDX-License-Identifier: Apache-2.0
"""A dataset as users write it, which feedrate runs unmodified. See own-dataset.yaml."""
from concurrent.futures import ThreadPoolExecutor

import torch
from torch.utils.data import Dataset


class Chirps(Dataset):
    """Noisy tones of varying length, with their spectrum, which a model can classify."""

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
    """Pads waves of different lengths to the longest one of the batch."""
    pad = torch.nn.utils.rnn.pad_sequence
    return {
        "wave": pad([sample["wave"] for sample in samples], batch_first=True),
        "spectrum": pad([sample["spectrum"].T for sample in samples], batch_first=True),
        "label": torch.tensor([sample["label"] for sample in samples]),
    }


def thread_loader(dataset, batch_size, num_workers, collate_fn, shuffle=False, **_):
    """A loader with threads in this process: it copies nothing between processes, but has one GIL."""
    return Threads(dataset, batch_size, max(1, num_workers), collate_fn, shuffle)


class Threads:
    def __init__(self, dataset, batch_size, threads, collate_fn, shuffle):
        self._dataset, self._batch_size, self._threads = dataset, batch_size, threads
        self._collate_fn, self._shuffle = collate_fn, shuffle

    def __iter__(self):
        order = torch.randperm(len(self._dataset)) if self._shuffle else torch.arange(len(self._dataset))
        with ThreadPoolExecutor(self._threads) as pool:
            batches = [pool.submit(self._batch, indices) for indices in order.split(self._batch_size)]
            for batch in batches:
                yield batch.result()

    def _batch(self, indices):
        return self._collate_fn([self._dataset[index] for index in indices.tolist()])


class Blas(Dataset):
    """Samples made by numpy's linear algebra, whose threads are not PyTorch's."""

    def __init__(self, length, size):
        self._length, self._size = length, size

    def __len__(self):
        return self._length

    def __getitem__(self, index):
        import numpy

        matrix = numpy.random.default_rng(index).standard_normal((self._size, self._size), dtype="float32")
        return torch.from_numpy(matrix @ matrix.T), index


def make_blas(length, size):
    return Blas(length, size)
