# SPDX-License-Identifier: Apache-2.0
"""Started by feedrate: runs one cell with the real DataLoader."""
from feedrate.child import main

if __name__ == "__main__":  # spawn and forkserver import this file again, in every worker
    main()
