# SPDX-License-Identifier: Apache-2.0
"""Records how a script copies its batches to the device: wraps Tensor.to() and Tensor.cuda() for 20 steps."""
from __future__ import annotations

import functools
from typing import Any, Callable, Optional

from .sites import site_of

_STEPS = 20
_active: Optional[CopyNotes] = None


def stop() -> None:
    if _active is not None:
        _active.stop()


class CopyNotes:
    """Records the copies between each batch of one loader and the next batch of any loader. One thread."""

    def __init__(self, tensor_class: Any) -> None:
        self._class = tensor_class
        self._steps = 0
        self._found: dict[tuple[str, bool, bool], list[int]] = {}
        self._replaced: dict[str, tuple[Any, Any]] = {}

    def step(self) -> bool:
        """Called for each batch. Returns False once enough steps are recorded."""
        global _active
        if _active is not self:
            stop()
            _active = self
            for name in ("to", "cuda"):
                wrapper = self._noting(getattr(self._class, name))
                self._replaced[name] = (vars(self._class).get(name), wrapper)
                setattr(self._class, name, wrapper)
        self._steps += 1
        return self._steps <= _STEPS

    def stop(self) -> None:
        global _active
        if _active is not self:
            return
        _active = None
        for name, (original, wrapper) in self._replaced.items():
            if vars(self._class).get(name) is not wrapper:
                continue  # something else wraps it; our wrapper then only calls the original
            if original is None:
                delattr(self._class, name)
            else:
                setattr(self._class, name, original)

    def found(self) -> list[dict[str, Any]]:
        return [
            {"site": site, "pinned": pinned, "non_blocking": non_blocking, "calls": calls, "bytes": size}
            for (site, pinned, non_blocking), (calls, size) in self._found.items()
        ]

    def _noting(self, copy: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(copy)
        def noted(tensor: Any, *arguments: Any, **named: Any) -> Any:
            result = copy(tensor, *arguments, **named)
            try:
                if _active is self and tensor.device.type == "cpu" and result.device.type != "cpu":
                    given = [argument for argument in arguments if isinstance(argument, bool)]  # the first bool is non_blocking
                    non_blocking = bool(named.get("non_blocking", given[0] if given else False))
                    total = self._found.setdefault((site_of(1), tensor.is_pinned(), non_blocking), [0, 0])
                    total[0] += 1
                    total[1] += tensor.numel() * tensor.element_size()
            except Exception:  # a tensor without storage, or no tensor
                pass
            return result

        return noted
