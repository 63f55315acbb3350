# SPDX-License-Identifier: Apache-2.0
"""Prints suppressed exceptions if FEEDRATE_DEBUG=1. No annotations and no new syntax, as in the hook."""
import os
import sys


def report():
    """Prints the exception being handled. Called wherever an exception must not reach the user's script. Never raises."""
    if os.environ.get("FEEDRATE_DEBUG", "0") in ("", "0"):
        return
    try:
        import traceback

        sys.stderr.write("feedrate: it goes on without this:\n" + traceback.format_exc())
    except Exception:  # stderr may be closed
        pass
