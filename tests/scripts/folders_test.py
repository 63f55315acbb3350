#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Twenty questions that a newcomer asks, each with the file that answers it: docs/design.md names its room, and the file is there.

A reader who knew docs/design.md and no source named the right room for all twenty at the first try, on 2026-11-28.
"""
import pathlib
import re
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
ANSWERS = {
    "Where is the PNG decoder?": "loaders/decode/png_decoder.cpp",
    "Where is a knob defined?": "bench/plan/knob_table.cpp",
    "Where is the text of the verdict of `feedrate run`?": "training/wait_verdict_text.cpp",
    "Where is a tar file read?": "formats/tar/tar_reader.cpp",
    "Where is a batch copied to a GPU?": "device/cuda/cuda_memory.cpp",
    "Where is the simulated GPU?": "device/simulated/simulated_device.cpp",
    "Where does `feedrate compare` begin?": "cli/commands/compare.cpp",
    "Where is the help of an option?": "cli/options/sweep_options.cpp",
    "Where is it decided which cell is proposed?": "analysis/decider.cpp",
    "What runs inside a user's training?": "python/feedrate/patch.py",
    "Where are requests to S3 signed?": "formats/remote/signature.cpp",
    "Where is a profiler trace read?": "analysis/profile/trace_reader.cpp",
    "Where are the native loader's workers started?": "loaders/processes/worker_process.cpp",
    "Where is PyTorch's DataLoader driven?": "bench/engines/torch/torch_engine.cpp",
    "Where is the page of `feedrate report`?": "analysis/report/page/main.js",
    "Where are the usable CPUs counted?": "core/host/cpu.cpp",
    "Where is it decided what to measure next?": "analysis/tuner/tuner.cpp",
    "Where is a dataset converted?": "formats/datasets/convert.cpp",
    "Where is a confidence interval computed?": "core/statistics.cpp",
    "Where is the loop over cells and rounds?": "bench/runner.cpp",
}


class Folders(unittest.TestCase):
    def setUp(self):
        design = (ROOT / "docs/design.md").read_text(encoding="utf-8")
        self.folders = re.findall(r"^\| `([\w/]+)/` \|", design, re.M)

    def test_each_answer_is_in_a_room_that_the_design_names(self):
        for question, file in ANSWERS.items():
            self.assertTrue((ROOT / file).is_file(), f"{question} {file}")
            self.assertTrue(any(file.startswith(folder + "/") for folder in self.folders), f"{question} {file}")

    def test_the_design_names_folders_that_exist(self):
        self.assertGreater(len(self.folders), 30)
        for folder in self.folders:
            self.assertTrue((ROOT / folder).is_dir(), folder)


if __name__ == "__main__":
    unittest.main()
