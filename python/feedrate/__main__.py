# SPDX-License-Identifier: Apache-2.0
"""python -m feedrate ARGUMENTS: runs the program with these arguments. Scripts that it starts run in this Python."""
from __future__ import annotations

import os
import sys

from .program import NOT_FOUND, find_program

program = find_program()
if program is None:
    sys.exit(NOT_FOUND)
if not os.environ.get("FEEDRATE_PYTHON"):
    os.environ["FEEDRATE_PYTHON"] = sys.executable
try:
    os.execv(program, [program, *sys.argv[1:]])
except OSError as error:
    sys.exit(f"feedrate: {program} cannot be run: {error.strerror}")
