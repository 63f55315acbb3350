# SPDX-License-Identifier: Apache-2.0
"""Why feedrate gave something up in a script: FEEDRATE_DEBUG=1 prints it. No annotations and no new syntax, as in the hook."""
import os
import sys


def report():
    """To be called where an exception is handled of which the script must not notice anything. Never raises."""
    if os.environ.get("FEEDRATE_DEBUG", "0") in ("", "0"):
        return
    try:
        import traceback

        sys.stderr.write("feedrate: it goes on without this:\n" + traceback.format_exc())
    except Exception:  # as with stderr closed
        pass
