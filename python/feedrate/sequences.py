# SPDX-License-Identifier: Apache-2.0
"""Sequences of tokens, truncated at max_length and padded as by Hugging Face's DataCollatorWithPadding. loaders/record_dataset.h
makes the same rows."""
from __future__ import annotations

from typing import Any

import torch

from .byte_records import first_bytes
from .loading import Workload
from .records import Source, open_source

_TOKEN_BYTES = 4


class Sequences(torch.utils.data.Dataset):
    def __init__(self, source: Source, max_length: int) -> None:
        self._source = source
        self._most_bytes = max_length * _TOKEN_BYTES

    def __len__(self) -> int:
        return len(self._source)

    def __getitem__(self, index: int) -> tuple[torch.Tensor, int]:
        data, label = self._source.read(index)
        tokens = first_bytes(data)
        if not len(tokens) or len(tokens) % _TOKEN_BYTES:
            raise ValueError(
                f"{self._source.name(index)}: {len(tokens)} bytes are not a sequence of tokens: must be at least one token of {_TOKEN_BYTES} bytes"
            )
        return tokens[: self._most_bytes].view(torch.int32), label

    def lengths(self) -> list[int]:
        """The length of each record. Reads all records, as Hugging Face's sampler does."""
        return [len(self[index][0]) for index in range(len(self))]


class Pad:
    """A collate function. The batch's `tokens` excludes padding."""

    def __init__(self, max_length: int, padding: str) -> None:
        self._width = max_length if padding == "max_length" else 0

    def __call__(self, samples: list[tuple[torch.Tensor, int]]) -> dict[str, Any]:
        sequences = [tokens for tokens, _ in samples]
        width = self._width or max(len(tokens) for tokens in sequences)
        rows = torch.zeros(len(sequences), width, dtype=torch.int32)
        for row, tokens in zip(rows, sequences):
            row[: len(tokens)] = tokens
        return {
            "input_ids": rows,
            "labels": torch.tensor([label for _, label in samples]),
            "tokens": sum(len(tokens) for tokens in sequences),
        }


def open_sequences(job: dict[str, Any]) -> Workload:
    dataset = Sequences(open_source(job["path"], job["format"]), job["tokens"]["max_length"])
    return Workload(dataset, Pad(**job["tokens"]), lengths=dataset.lengths, count_tokens=count_tokens)


def count_tokens(batch: dict[str, Any]) -> tuple[int, int]:
    """(tokens without padding, tokens with padding)."""
    return batch["tokens"], batch["input_ids"].numel()
