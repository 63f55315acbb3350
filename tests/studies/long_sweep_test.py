#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The rule by which studies/long_sweep detects growth."""
import contextlib
import io
import sys
import unittest

sys.dont_write_bytecode = True
from load_study import load_study

long_sweep = load_study("long_sweep")


class Judge(unittest.TestCase):
    def judged(self, **changed):
        """`changed`: functions of the cell's number that replace constant values."""
        stays = {"memory_kb": 7000, "descriptors": 5, "threads": 2, "segments": 0}
        samples = [long_sweep.Sample(cell=i, **{**stays, **{name: of(i) for name, of in changed.items()}}) for i in range(200)]
        with contextlib.redirect_stdout(io.StringIO()) as out:
            code = long_sweep.judge(samples, [], 5)
        return code, out.getvalue().splitlines()[-1]

    def test_what_comes_and_goes_has_not_grown(self):
        self.assertEqual(self.judged(), (0, "nothing grew"))
        self.assertEqual(self.judged(descriptors=lambda i: 5 + i % 2, threads=lambda i: 2 + i // 150 * (i % 2)), (0, "nothing grew"))

    def test_what_stays_open_has_grown(self):
        for name, least in (("descriptors", 5), ("threads", 2), ("segments", 0)):
            self.assertEqual(self.judged(**{name: lambda i: least + i // 40 + i % 2}), (1, f"GREW: {name}"))

    def test_memory_may_grow_by_what_a_cell_leaves(self):
        self.assertEqual(self.judged(memory_kb=lambda i: 7000 + 3 * i)[0], 0)
        self.assertEqual(self.judged(memory_kb=lambda i: 7000 + 8 * i), (1, "GREW: memory by more than 5 kB a cell"))
        self.assertEqual(self.judged(memory_kb=lambda i: 7000 + 9000 * (i % 5 == 0 and i > 150))[0], 0)


if __name__ == "__main__":
    unittest.main()
