# SPDX-License-Identifier: Apache-2.0
"""studies/run_regret/study measures what tuning in place costs and finds, in ten training scripts.

subjects.py has the scripts and runs them, measurements.py keeps the results, figures.py has the arithmetic, watching.py measures the
cost of watching, summary.py writes the table. scripts/ has the scripts; training.py in it is their loop and their stopwatch.
"""
