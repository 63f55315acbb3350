# SPDX-License-Identifier: Apache-2.0
"""Chooses the folder of multiprocessing's sockets, over which descriptors of batches are sent."""
from __future__ import annotations

import multiprocessing.util
import os
import tempfile

_LONGEST_PATH = 107


def keep_sockets_in(folder: str) -> None:
    """Puts sockets into a folder that feedrate removes, because killed workers leave theirs behind. Does nothing if the path would be too
    long. Forked workers use their parent's folder. Raises OSError."""
    if not folder or len(os.fsencode(folder + "/pymp-12345678/listener-12345678")) > _LONGEST_PATH:
        return
    usual, tempfile.tempdir = tempfile.tempdir, folder
    try:
        multiprocessing.util.get_temp_dir()
    finally:
        tempfile.tempdir = usual  # the user's temporary files keep their folder
