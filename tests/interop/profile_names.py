#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compares the profiler's names for next() in conformance_test.cpp with those of the live DataLoader.

    profile_names.py <conformance_test.cpp>

Exits 77 without torch.
"""
import pathlib
import sys

try:
    from torch.utils.data import DataLoader
except ImportError as error:
    print(f"skipped: {sys.executable}: {error}; needs torch")
    sys.exit(77)

expected = pathlib.Path(sys.argv[1]).read_text()
wrong = []
for workers in (0, 1):
    name = iter(DataLoader([0], num_workers=workers))._profile_name
    print(f"num_workers={workers}: {name}")
    if f'"{name}"' not in expected:
        wrong.append(name)
sys.exit(f"not in {sys.argv[1]}: {wrong}" if wrong else 0)
