# SPDX-License-Identifier: Apache-2.0
"""studies/run_regret/study: what tuning in place costs and finds, in ten training scripts.

subjects.py has the scripts and how they are run, measurements.py what is known so far, figures.py the arithmetic, watching.py the
cost of watching, summary.py what is told. scripts/ has the scripts; training.py in there is their loop and their stopwatch.
"""
