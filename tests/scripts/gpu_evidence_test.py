#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""scripts/gpu_evidence, on results of this test and on the committed results."""
import pathlib
import subprocess
import sys
import tempfile
import unittest

SCRIPT = pathlib.Path(__file__).parents[2] / "scripts/gpu_evidence"
HEAD = "simulated,outcome,engine,trainer,ranks\n"


def run(*arguments):
    return subprocess.run([sys.executable, SCRIPT, *map(str, arguments)], capture_output=True, text=True)


class GpuEvidence(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = pathlib.Path(folder.name)
        self.write("README.md", "Before.\n<!-- scripts/gpu_evidence -->\nold\n<!-- end -->\nAfter.\n")
        self.write("docs/gpu-node.md", "<!-- scripts/gpu_evidence -->\nold\n<!-- end -->\n")
        self.write("results/epyc/2026-11-20-a/cells.csv", HEAD + "true,ok,native,burn,1\n")

    def write(self, name, text):
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)

    def sentence(self):
        self.assertEqual(run(self.root).returncode, 0)
        self.assertEqual(run("--check", self.root).returncode, 0)
        text = (self.root / "README.md").read_text()
        self.assertTrue(text.startswith("Before.\n") and text.endswith("After.\n"))
        return text

    def test_what_was_simulated_or_failed_has_not_run_on_a_gpu(self):
        self.write("results/h100-16cpu/2026-11-21-b/cells.csv", HEAD + "false,failed,native,burn,1\n")
        self.assertIn("As of 2026-11-21 nothing of feedrate has run on a GPU", self.sentence())

    def test_parts_are_named_with_where_and_when_they_ran_last(self):
        self.write("results/h100-16cpu/2026-11-21-b/cells.csv", HEAD + "false,ok,native,burn,1\n")
        self.write("results/a100-8cpu/2026-11-22-c/deeper/cells.csv", HEAD + "true,ok,torch,burn,2\nfalse,ok,native,cnn,\n")
        text = self.sentence()
        self.assertIn("a GPU: the native engine, steps by cuBLASLt (a100-8cpu, 2026-11-22); not yet", text)
        self.assertIn("not yet: PyTorch's DataLoader, `feedrate run`, nvJPEG, transforms on the GPU, several GPUs.", text)

    def test_what_the_gpu_takes_from_the_workers_is_known_by_its_knobs(self):
        head = HEAD.strip() + ",decoder,transforms_on\n"
        self.write("results/a100-8cpu/2026-11-22-c/cells.csv", head + "false,ok,native,burn,1,library,gpu\n")
        text = self.sentence()
        self.assertIn("transforms on the GPU (a100-8cpu, 2026-11-22)", text)
        self.assertIn("not yet: PyTorch's DataLoader, `feedrate run`, steps by cuBLASLt, nvJPEG, several GPUs.", text)

    def test_a_training_that_was_watched_ran_on_a_gpu_where_the_gpu_was_timed(self):
        head = "simulated,outcome,engine,site,gpu_busy\n"
        self.write("results/h100-16cpu/2026-11-21-b/cells.csv", head + "false,ok,torch,train.py:24,\n")
        self.assertIn("nothing of feedrate has run on a GPU", self.sentence())
        self.write("results/h100-16cpu/2026-11-22-c/cells.csv", head + "false,ok,torch,train.py:24,0.5\n")
        self.assertIn("ran on a GPU: `feedrate run` (h100-16cpu, 2026-11-22); not yet: the native engine, PyTorch's", self.sentence())

    def test_a_page_that_says_something_else_fails(self):
        done = run("--check", self.root)
        self.assertEqual(done.returncode, 1)
        self.assertIn("README.md", done.stdout)

    def test_a_page_without_a_place_for_it_fails(self):
        self.write("docs/gpu-node.md", "nothing\n")
        self.assertEqual(run(self.root).returncode, 1)

    def test_the_committed_pages_say_what_the_committed_results_show(self):
        done = run("--check")
        self.assertEqual(done.returncode, 0, done.stdout)


if __name__ == "__main__":
    unittest.main()
