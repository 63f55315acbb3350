# SPDX-License-Identifier: Apache-2.0
"""studies/peers/race: feedrate's loader and the loaders of others on the same data, in one run. docs/peers.md says how and how fair.

targets.py has what is compared, contestants.py how one is measured, study.py the rounds, summary.py what is told.
loaders/ has the others' scripts, as their users would write them; they run in the Python that has them.
"""
