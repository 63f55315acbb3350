# SPDX-License-Identifier: Apache-2.0
"""The states of a process's global random generators: PyTorch's on the CPU, Python's, and NumPy's if numpy.random is imported, which
newer versions import at first use."""
from __future__ import annotations

import random
import sys
from typing import Any, Optional

import torch

States = tuple[Any, ...]


def random_states() -> States:
    numpy = sys.modules.get("numpy.random")
    return torch.get_rng_state(), random.getstate(), numpy.get_state() if numpy is not None else None


def set_random_states(states: States) -> None:
    torch.set_rng_state(states[0])
    random.setstate(states[1])
    numpy = sys.modules.get("numpy.random")  # a worker may have imported it although this process has not
    if states[2] is not None and numpy is not None:
        numpy.set_state(states[2])


def are_equal(left: States, right: States) -> bool:
    return bool(torch.equal(left[0], right[0]) and left[1] == right[1] and _numpy_state(left) == _numpy_state(right))


def _numpy_state(states: States) -> Any:
    return states[2] and (states[2][1].tobytes(), *states[2][2:])


def copy_of(generator: torch.Generator) -> torch.Generator:
    copy = torch.Generator()
    copy.set_state(generator.get_state())
    return copy


def draw_seed(generator: Optional[torch.Generator]) -> int:
    """Draws the workers' seed as a DataLoader's iterator does."""
    return int(torch.empty((), dtype=torch.int64).random_(generator=generator).item())
