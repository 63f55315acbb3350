# SPDX-License-Identifier: Apache-2.0
"""Where the sockets of multiprocessing lie, over which descriptors of batches are sent."""
from __future__ import annotations

import multiprocessing.util
import os
import tempfile

_LONGEST_PATH = 107  # sockaddr_un of Linux, without the zero at its end


def keep_sockets_in(folder: str) -> None:
    """In a folder that is removed at the end: workers that are killed leave theirs. Not where the sockets' path would be too long
    there. Forked workers take their parent's folder. Raises OSError."""
    if not folder or len(os.fsencode(folder + "/pymp-12345678/listener-12345678")) > _LONGEST_PATH:
        return
    usual, tempfile.tempdir = tempfile.tempdir, folder
    try:
        multiprocessing.util.get_temp_dir()
    finally:
        tempfile.tempdir = usual  # the user's own files go where they always do
