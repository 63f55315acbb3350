# SPDX-License-Identifier: Apache-2.0
"""How a script copies its batches to the device: Tensor.to() and Tensor.cuda(), noted for 20 steps and then left alone."""
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
    """Of one loader: of the copies between its batches and any loader's next one. One thread."""

    def __init__(self, tensor_class: Any) -> None:
        self._class = tensor_class
        self._steps = 0
        self._found: dict[tuple[str, bool, bool], list[int]] = {}
        self._replaced: dict[str, tuple[Any, Any]] = {}

    def step(self) -> bool:
        """At each batch. False: enough steps have been noted."""
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
                continue  # it is wrapped by something else, and does nothing but call the original
            if original is None:
                delattr(self._class, name)
            else:
                setattr(self._class, name, original)

    def found(self) -> list[dict[str, Any]]:
        """A line of the script and a kind of copy each: how often, and how many bytes in all."""
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
                    given = [argument for argument in arguments if isinstance(argument, bool)]  # the first is non_blocking
                    non_blocking = bool(named.get("non_blocking", given[0] if given else False))
                    total = self._found.setdefault((site_of(1), tensor.is_pinned(), non_blocking), [0, 0])
                    total[0] += 1
                    total[1] += tensor.numel() * tensor.element_size()
            except Exception:  # a tensor that has no storage, or is none
                pass
            return result

        return noted
