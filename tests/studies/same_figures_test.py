#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""studies/same_figures with programs whose figures the test sets, and its clock with a program that waits."""
import contextlib
import io
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest
from unittest import mock

sys.dont_write_bytecode = True
from load_study import STUDIES, load_study

same = load_study("same_figures")
# Writes two cells. `rate` is that of the second one.
FEEDRATE = '''#!{python}
import json, pathlib, random
run = pathlib.Path("run")
run.mkdir(exist_ok=True)
cells = [{{"cell": i, "samples_per_second": rate, "step_time": 0.5, "memory": random.random(){more}}} for i, rate in enumerate((10.0, {rate}))]
columns = {columns} or list(cells[0])
(run / "cells.csv").write_text("\\n".join(",".join(map(str, row)) for row in [columns, *([c[column] for column in columns] for c in cells)]))
(run / "run.json").write_text(json.dumps({{"started_at": str(random.random()), "doubts": {doubts}, "cells": cells}}))
'''
WAITS = """
#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>
#include <time.h>
static const long long kSecond = 1000000000;
static struct timespec at(long long time) { return (struct timespec){time / kSecond, time % kSecond}; }
static long long now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return time.tv_sec * kSecond + time.tv_nsec;
}
int main(void) {
  const long long begin = now();
  struct timespec until = at(begin + 1000 * kSecond);
  clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, NULL);
  const long long slept = now();
  while (now() < slept + 1000000) {
  }
  const long long spun = now();
  pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
  pthread_cond_t never = PTHREAD_COND_INITIALIZER;
  until = at(spun + 2000000);
  pthread_mutex_lock(&mutex);
  pthread_cond_clockwait(&never, &mutex, CLOCK_MONOTONIC, &until);
  printf("slept %lld s, spun %lld ns, waited %lld ns", (slept - begin) / kSecond, spun - slept, now() - spun);
  return 0;
}
"""


class SameFigures(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = pathlib.Path(folder.name)
        self.old = self.program("old")

    def program(self, name, rate="20.0", more="", columns="None", doubts="[]"):
        path = self.root / name
        path.write_text(FEEDRATE.format(python=sys.executable, rate=rate, more=more, columns=columns, doubts=doubts))
        path.chmod(0o755)
        return path

    def compared(self, new, *more):
        """(exit code, output) of a comparison with one configuration."""
        arguments = ["same_figures", str(self.old), str(new), "--runs", "2", *more]
        with mock.patch("sys.argv", arguments), mock.patch.object(same, "CONFIGS", {"inline": ""}), \
                mock.patch.object(same, "STEADY", same.STEADY[:2]), contextlib.redirect_stdout(io.StringIO()) as out:
            return same.main(), out.getvalue()

    def test_the_same_program_has_the_same_figures_but_what_is_never_steady(self):
        code, text = self.compared(self.old)
        self.assertEqual(code, 0, text)
        self.assertIn("the same figures\n", text)
        self.assertIn("the machine decides on them: memory\n", text)

    def test_a_changed_figure_is_found_in_both_files(self):
        code, text = self.compared(self.program("new", rate="20.000001"))
        self.assertEqual(code, 1, text)
        self.assertIn("inline: cells.csv: samples_per_second#1: '20.0' became '20.000001'", text)
        self.assertIn("inline: run.json.cells#1.samples_per_second: 20.0 became 20.000001", text)

    def test_a_changed_text_is_found(self):
        code, text = self.compared(self.program("new", doubts="['a']"))
        self.assertEqual(code, 1, text)
        self.assertIn("run.json.doubts#0: was added", text)

    def test_a_column_that_left_or_was_added_is_excused_by_its_name(self):
        new = self.program("new", more=', "copy_time": 1')
        code, text = self.compared(new)
        self.assertEqual(code, 1, text)
        self.assertIn("cells.csv: copy_time#0: was added (and 1 more)", text)
        self.assertEqual(self.compared(new, "--added", "copy_time")[0], 0)
        self.assertEqual(self.compared(new, "--left", "copy_time")[0], 1)
        self.old = new
        self.assertEqual(self.compared(self.program("without"), "--left", "copy_time")[0], 0)

    def test_another_order_of_columns_is_found(self):
        code, text = self.compared(self.program("new", columns="['cell', 'step_time', 'samples_per_second', 'memory']"))
        self.assertEqual(code, 1, text)
        self.assertIn("the order of columns: samples_per_second stood where step_time stands", text)

    def test_rates_that_are_not_steady_show_that_the_clock_was_not_manual(self):
        self.old = self.program("old", rate="random.random()")
        code, text = self.compared(self.old)
        self.assertEqual(code, 1, text)
        self.assertIn("the clock is not manual", text)

    def test_a_program_that_fails_ends_it(self):
        self.old.write_text("#!/bin/sh\necho broken >&2; exit 3\n")
        with self.assertRaisesRegex(SystemExit, "exit 3\nbroken"):
            self.compared(self.old)


class ManualClock(unittest.TestCase):
    def test_waiting_moves_it_and_nothing_else(self):
        compiler = os.environ.get("CC", "cc")
        with tempfile.TemporaryDirectory() as folder:
            source, program, clock = (pathlib.Path(folder) / name for name in ("waits.c", "waits", "clock.so"))
            source.write_text(WAITS)
            try:
                subprocess.run([compiler, "-O2", "-Wall", "-Werror", "-pthread", "-o", program, source], check=True)
            except FileNotFoundError:
                self.skipTest(f"no C compiler: {compiler}")
            subprocess.run([compiler, "-O2", "-Wall", "-Wextra", "-Werror", "-shared", "-fPIC", "-o", clock, STUDIES / "manual_clock.c", "-ldl"], check=True)
            outputs = {subprocess.run([program], env={**os.environ, "LD_PRELOAD": str(clock)}, capture_output=True, text=True).stdout
                    for _ in range(3)}
        self.assertEqual(outputs, {"slept 1000 s, spun 1000000 ns, waited 2000000 ns"})


if __name__ == "__main__":
    unittest.main()
