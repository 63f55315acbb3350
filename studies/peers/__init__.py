# SPDX-License-Identifier: Apache-2.0
"""studies/peers/race compares feedrate's loader with others on the same data, in one run. docs/peers.md describes how.

targets.py has the comparisons, contestants.py measures a contestant, study.py runs the rounds, summary.py writes the summary.
loaders/ has the scripts of the peers, as their users would write them; they run in the Python that has the packages.
"""
