# SPDX-License-Identifier: Apache-2.0
"""The program's verdict on a DataLoader, as a Python object."""
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
    """The recommended DataLoader arguments, as an immutable mapping: DataLoader(dataset, batch_size=64, **recommendation).

    It has only arguments that the installed PyTorch knows and accepts together. If nothing was tuned they are the script's own.
    """

    gain: float
    """The rate with these arguments divided by the rate with the script's; 1.0 if no gain was shown: its interval holds 1."""
    gain_interval: Optional[tuple[float, float]]
    """The bounds of the gain's 95 % confidence interval; None if no gain was shown."""
    confidence: float
    """Probability, 0 to 1, that the arguments are within the tolerance (2 %) of the best candidate; 0 if nothing was tuned."""
    bound: str
    """The bottleneck of a training step. "INPUT-BOUND": it waits for its batch in more than 10 % of the time; "BALANCED": in more than 2 %;
    else "GPU-BOUND", or "TRAINING-BOUND" if CUDA events timed no GPU. "UNKNOWN": another thread takes the batches."""
    loading_share: float
    """The share of a step, 0 to 1, for which the training waited for its batch with the script's arguments."""
    is_final: bool
    """Whether the trials for this loader are over."""
    _arguments: dict[str, Any]
    _given: dict[str, Any]
    _text: tuple[str, ...]

    @classmethod
    def of(cls, verdict: dict[str, Any], is_tuned: bool) -> Recommendation:
        """Reads the program's JSON. `is_tuned`: the loader may be tuned. Raises an exception if the verdict is malformed."""
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
        return "\n".join(self._text)

    def __repr__(self) -> str:
        return f"Recommendation({self._arguments}, gain={self.gain:.2f}, bound={self.bound!r}, is_final={self.is_final})"

    def _repr_html_(self) -> str:
        """HTML for notebooks, which inherits the colors of the page."""
        rows = [("argument", "script", "to use"), *((name, self._given.get(name), value) for name, value in self.items())]
        cells = ("".join(f"<td>{html.escape(str(cell))}</td>" for cell in row) for row in rows)
        table = "".join(f"<tr>{row}</tr>" for row in cells)
        return f"<table>{table}</table><pre>{html.escape(self.explain())}</pre>"


def _accepted(settings: dict[str, Any]) -> dict[str, Any]:
    left_out = frozenset() if settings["num_workers"] else _OF_WORKERS
    return {name: value for name, value in settings.items() if name in _KNOWN - left_out and value is not None}
