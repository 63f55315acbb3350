# SPDX-License-Identifier: Apache-2.0
"""Why feedrate does nothing in a script: with FEEDRATE_DEBUG=1 each error in its own code is printed to stderr."""
import os
import sys


def report():
    # type: () -> None
    """Within an except clause."""
    if os.environ.get("FEEDRATE_DEBUG"):
        import traceback

        sys.stderr.write("feedrate: debug: " + traceback.format_exc())
