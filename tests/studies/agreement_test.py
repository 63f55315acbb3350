#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""studies/agreement."""
import argparse
import json
import math
import pathlib
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True
from load_study import load_study

agreement = load_study("agreement")


def cell(engine, workers, rate, repeats=(), **settings):
    return {"outcome": "ok" if rate else "failed", "settings": {"engine": engine, "num_workers": workers, "pin_memory": True, **settings},
            "metrics": {"samples_per_second": rate, "step_time": 64 / rate if rate else None},
            "repeats": [{"metrics": {"samples_per_second": one, "step_time": 64 / one}} for one in repeats]}


def cells(engine, rates, **settings):
    return [cell(engine, workers, rate, **settings) for workers, rate in enumerate(rates)]


def figures(a, b):
    pairs = agreement.match(cells("native", a), cells("torch", b))
    told = agreement.distinguished([y for _, y in pairs])
    return list(agreement.figures([tuple(map(agreement.measured, pair)) for pair in pairs], told).values()), len(told)


class Figures(unittest.TestCase):
    def test_by_hand(self):
        # Without repeats 5 % is noise, so that 100 and 103 of B are not distinguishable, and A has them in the opposite order.
        (tau, told_tau, regret, median, largest), told = figures([100, 90, 300], [100, 103, 200])
        self.assertAlmostEqual(tau, 1 / 3)
        self.assertEqual((told_tau, told, regret), (1.0, 2, 0.0))
        self.assertAlmostEqual(median, 103 / 90 - 1)
        self.assertAlmostEqual(largest, 1 / 3)

    def test_regret_is_what_the_best_of_a_loses_in_b(self):
        self.assertEqual(figures([100, 200, 300], [50, 200, 150])[0][2], 0.25)

    def test_ties_are_in_neither_order(self):
        self.assertAlmostEqual(figures([150, 100, 200], [100, 100, 300])[0][0], 2 / math.sqrt(2 * 3))
        self.assertAlmostEqual(figures([100, 100, 300], [150, 100, 200])[0][1], 2 / math.sqrt(2 * 3))

    def test_one_cell_has_no_order(self):
        self.assertTrue(math.isnan(figures([100], [50])[0][0]))

    def test_noise_is_that_of_the_repeats(self):
        # t(0.975, 4) 1 % sqrt(1/3 + 1/3) = 2.776445 * 0.01 * 0.816497 = 2.267 %.
        def told(loss):
            return len(agreement.distinguished([cell("torch", 0, 100, (99, 100, 101)),
                                                cell("torch", 1, 100 * (1 - loss), [one * (1 - loss) for one in (99, 100, 101)])]))
        self.assertEqual((told(0.0226), told(0.0228)), (0, 1))

    def test_intervals_hold_both_orders_where_the_repeats_do(self):
        a = [cell("native", 0, 100, (100, 100)), cell("native", 1, 105, (90, 120))]
        b = [cell("torch", 0, 100, (100, 100)), cell("torch", 1, 110, (110, 110))]
        text = agreement.report(a, b)
        self.assertIn("| Kendall's tau-b | 1.000 | -1.000 to 1.000 |", text)
        self.assertIn("| regret in B of A's best | 0.0% | 0.0% to 9.1% |", text)
        b[0]["repeats"].pop()
        self.assertIn("No intervals", agreement.report(a, b))


class Matching(unittest.TestCase):
    def test_leaves_out_what_has_no_partner_and_what_has_two(self):
        a, b = cells("native", [100, 200, 300]), cells("torch", [50, 60, 70, 80])
        b.append(b[2])
        self.assertEqual([x["settings"]["num_workers"] for x, _ in agreement.match(a, b)], [0, 1])

    def test_ignores_what_is_constant_and_what_one_side_lacks(self):
        a, b = cells("native", [100, 200], decoder="fast", seed=1), cells("torch", [50, 60], decoder="", seed=2)
        self.assertEqual(len(agreement.match(a, b)), 2)

    def test_leaves_reference_cells_out_unless_there_is_nothing_else(self):
        a, b = ([cell(engine, 1, 100, trainer="burn"), cell(engine, 2, 200, trainer="discard")] for engine in ("native", "torch"))
        self.assertEqual(len(agreement.match(a, b)), 1)
        self.assertEqual(len(agreement.match(a[1:], b[1:])), 1)


class Sides(unittest.TestCase):
    def sides(self, **options):
        run = cells("native", [100, 200, None], emulate="") + cells("native", [110, 210], emulate="p.yaml") + cells("torch", [90, 190], emulate="")
        with tempfile.TemporaryDirectory() as folder:
            (pathlib.Path(folder) / "run.json").write_text(json.dumps({"cells": run}))
            return agreement.sides(argparse.Namespace(**{"a": pathlib.Path(folder), "b": None, "only": [], **options}))

    def test_one_result_is_split_by_a_setting(self):
        a, b = self.sides(by="engine", only=["emulate="])
        self.assertEqual([x["metrics"]["samples_per_second"] for x in a + b], [100, 200, 90, 190])
        self.assertEqual({x["settings"]["engine"] for x in self.sides(by="engine=torch,native")[0]}, {"torch"})

    def test_a_setting_has_two_values(self):
        with self.assertRaisesRegex(ValueError, "3 values"):
            self.sides(by="num_workers=0,1,2")


if __name__ == "__main__":
    unittest.main()
