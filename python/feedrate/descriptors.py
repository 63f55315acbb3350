# SPDX-License-Identifier: Apache-2.0
"""Descriptors in a process that is the user's: it may close all that it has, as daemons do, and open others by their numbers."""
from __future__ import annotations

import os


class OwnDescriptor:
    """`number`, as long as it is the file that it was at first."""

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
