# SPDX-License-Identifier: Apache-2.0
"""The program's verdict about a DataLoader, as an object of Python."""
from __future__ import annotations

import html
import inspect
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Optional

from torch.utils.data import DataLoader

SCHEMA = 1

_KNOWN = frozenset(inspect.signature(DataLoader.__init__).parameters) - {"batch_size"}
_OF_WORKERS = frozenset({"prefetch_factor", "persistent_workers", "in_order", "multiprocessing_context"})


@dataclass(frozen=True, eq=False, repr=False)
class Recommendation(Mapping[str, Any]):
    """The DataLoader arguments to use, as a mapping that does not change: DataLoader(dataset, batch_size=64, **recommendation).

    It holds those that the installed PyTorch knows and accepts together. Where nothing was tuned they are the script's own.
    """

    gain: float
    """The rate with these arguments, as a ratio to that with the script's; 1.0 where no gain was shown: its interval holds 1."""
    gain_interval: Optional[tuple[float, float]]
    """The bounds of a 95 % confidence interval of the gain; None where no gain was shown."""
    confidence: float
    """That the arguments are within the tolerance (2 %) of the best of those considered, from 0 to 1; 0 where nothing was tuned."""
    bound: str
    """What a step of the training waits for: "INPUT-BOUND" or "BALANCED": its batch, in more than 10 or 2 % of its time; "GPU-BOUND",
    or "TRAINING-BOUND" where CUDA events timed no GPU: the training itself. "UNKNOWN": another thread takes the batches."""
    loading_share: float
    """The part of a step for which the training waited for its batch, with the script's arguments, from 0 to 1."""
    is_final: bool
    """Nothing more is tried for this loader."""
    _arguments: dict[str, Any]
    _given: dict[str, Any]
    _text: tuple[str, ...]

    @classmethod
    def of(cls, verdict: dict[str, Any], is_tuned: bool) -> Recommendation:
        """From the program's JSON. `is_tuned`: the loader is one that may be tuned. Raises what a malformed verdict makes it."""
        tuning = verdict["tuning"]
        gain = tuning and tuning["gain"]
        step = verdict["loading"] + verdict["training"]
        return cls(
            gain=float(gain["ratio"]) if gain else 1.0,
            gain_interval=(float(gain["low"]), float(gain["high"])) if gain else None,
            confidence=float(tuning["confidence"]) if tuning else 0.0,
            bound=str(verdict["bound"]),
            loading_share=verdict["loading"] / step if step else 0.0,
            is_final=bool(tuning["is_over"]) if tuning else not is_tuned or bool(verdict["why_not_tuned"]),
            _arguments=_accepted(tuning["recommended"] if tuning else verdict["settings"]),
            _given=dict(verdict["settings"]),
            _text=tuple(map(str, verdict["text"])),
        )

    def __getitem__(self, name: str) -> Any:
        return self._arguments[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._arguments)

    def __len__(self) -> int:
        return len(self._arguments)

    def explain(self) -> str:
        """The program's own words, in lines."""
        return "\n".join(self._text)

    def __repr__(self) -> str:
        return f"Recommendation({self._arguments}, gain={self.gain:.2f}, bound={self.bound!r}, is_final={self.is_final})"

    def _repr_html_(self) -> str:
        """For notebooks. No colors: those of the page."""
        rows = [("argument", "script", "to use"), *((name, self._given.get(name), value) for name, value in self.items())]
        cells = ("".join(f"<td>{html.escape(str(cell))}</td>" for cell in row) for row in rows)
        table = "".join(f"<tr>{row}</tr>" for row in cells)
        return f"<table>{table}</table><pre>{html.escape(self.explain())}</pre>"


def _accepted(settings: dict[str, Any]) -> dict[str, Any]:
    left_out = frozenset() if settings["num_workers"] else _OF_WORKERS
    return {name: value for name, value in settings.items() if name in _KNOWN - left_out and value is not None}
