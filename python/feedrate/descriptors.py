# SPDX-License-Identifier: Apache-2.0
"""File descriptors in the user's process, which may close all of them, as daemons do, and reuse the numbers."""
from __future__ import annotations

import os


class OwnDescriptor:
    """Owns descriptor `number` as long as it refers to the same file as at first."""

    def __init__(self, number: int) -> None:
        self.number = number
        self._file = self._identity()

    def is_ours(self) -> bool:
        try:
            return self._identity() == self._file
        except OSError:
            return False

    def close(self) -> None:
        if self.is_ours():
            os.close(self.number)

    def _identity(self) -> tuple[int, int]:
        status = os.fstat(self.number)
        return status.st_dev, status.st_ino
