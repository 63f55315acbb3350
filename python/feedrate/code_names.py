# SPDX-License-Identifier: Apache-2.0
"""The names that user code mentions, and whether a class is the user's."""
from __future__ import annotations

import dis
import functools
import sys
import types

from .sites import is_users_file


@functools.lru_cache(maxsize=4096)
def is_users_class(kind: type) -> bool:
    module = sys.modules.get(kind.__module__)
    file = getattr(module, "__file__", None)
    return kind.__module__ == "__main__" or (file is not None and is_users_file(file))


@functools.lru_cache(maxsize=4096)
def names_of(code: types.CodeType) -> frozenset[str]:
    """The globals that the code names. co_names would include attributes."""
    inner = (names_of(part) for part in code.co_consts if isinstance(part, types.CodeType))
    own = (step.argval for step in dis.get_instructions(code) if step.opname in ("LOAD_GLOBAL", "LOAD_NAME", "STORE_GLOBAL"))
    return frozenset(own).union(*inner)


@functools.lru_cache(maxsize=4096)
def attributes_of(code: types.CodeType) -> frozenset[str]:
    inner = (attributes_of(part) for part in code.co_consts if isinstance(part, types.CodeType))
    return frozenset(code.co_names).union(*inner)
