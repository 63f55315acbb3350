#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A script of a real framework three times: as it stands, under `feedrate run`, and under `feedrate run --tune`.

    frameworks_test.py <feedrate> <source folder> <case>

It trains the same to the last bit, and exits alike. feedrate names the line of the script that makes the loader and has seen
each step. With --tune it has tried other settings, or says why it cannot. Exits 77 where a package of requirements.txt is missing.
"""
import dataclasses
import importlib.util
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

FEEDRATE, SOURCE = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2]).resolve()
EXAMPLES, SCRIPTS = SOURCE / "examples", SOURCE / "tests" / "frameworks" / "scripts"
TORCHRUN = ("-m", "torch.distributed.run", "--standalone", "--nproc-per-node", "2")
LAUNCH = ("-m", "accelerate.commands.launch", "--multi_gpu", "--num_processes", "2", "--main_process_port", "0")


@dataclasses.dataclass
class Case:
    script: pathlib.Path
    packages: tuple[str, ...] = ()
    maker: str = "DataLoader("  # what stands in the line of the script that makes its loader
    arguments: tuple[str, ...] = ("--epochs", "2")
    launcher: tuple[str, ...] = ()
    steps: int = 300
    ways: tuple[str, ...] = ("watched", "tuned")
    why_not: str = ""  # it is not tuned


ranks = EXAMPLES / "accelerate_two_ranks.py"
stateful = SCRIPTS / "stateful_loader.py"
CASES = {
    "accelerate": Case(ranks, ("accelerate",)),
    "accelerate_launch": Case(ranks, ("accelerate",), launcher=LAUNCH, steps=150, ways=("watched",)),
    "accelerate_launch_tuned": Case(ranks, ("accelerate",), launcher=LAUNCH, steps=150, ways=("tuned",)),
    "accelerate_torchrun": Case(ranks, ("accelerate",), launcher=TORCHRUN, steps=150, ways=("watched",)),
    "accelerate_torchrun_tuned": Case(ranks, ("accelerate",), launcher=TORCHRUN, steps=150, ways=("tuned",)),
    "hugging_face": Case(EXAMPLES / "hugging_face.py", ("transformers", "accelerate"), maker="trainer.train()"),
    "lightning": Case(EXAMPLES / "lightning_module.py", ("lightning",)),
    "plain": Case(EXAMPLES / "plain.py"),
    "plain_workers": Case(EXAMPLES / "plain.py", arguments=("--epochs", "2", "--num-workers", "1")),
    "stateful": Case(stateful, ("torchdata",), steps=350, why_not="StatefulDataLoader has a state_dict"),
    "timm": Case(SCRIPTS / "timm_loader.py", ("timm",), maker="loader = create_loader("),
    "timm_multi_epochs": Case(
        SCRIPTS / "timm_loader.py", ("timm",), maker="loader = create_loader(", arguments=("--epochs", "2", "--multi-epochs"),
        why_not="The sampler of MultiEpochsDataLoader starts again",
    ),
    "ultralytics": Case(SCRIPTS / "ultralytics_loader.py", ("ultralytics",), maker="= InfiniteDataLoader("),
}


def missing(packages: tuple[str, ...]) -> list[str]:
    return [name for name in packages if importlib.util.find_spec(name) is None]


class Trains(unittest.TestCase):
    case: Case

    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def run_script(self, *before: str) -> subprocess.CompletedProcess:
        environment = {
            **os.environ,
            "FEEDRATE_PYTHON": sys.executable,
            "HF_HUB_OFFLINE": "1",
            "OMP_NUM_THREADS": "1",  # threads that wait for each other are slow on a busy machine
            "PYTHONDONTWRITEBYTECODE": "1",
            "PYTHONPATH": str(EXAMPLES),
            "YOLO_CONFIG_DIR": str(self.folder),
            "YOLO_OFFLINE": "true",
        }
        command = [*before, *self.case.launcher, str(self.case.script), *self.case.arguments]
        return subprocess.run(command, cwd=self.folder, env=environment, capture_output=True, text=True, check=False)

    def losses(self, result: subprocess.CompletedProcess) -> list[str]:
        """As Python prints a float: the shortest text that gives the same bits."""
        self.assertEqual(result.returncode, 0, result.stderr)
        lines = [line for line in result.stdout.splitlines() if ": loss " in line]
        self.assertTrue(lines, result.stdout)
        return lines

    def site(self) -> str:
        lines = self.case.script.read_text().splitlines()
        (number,) = [number for number, line in enumerate(lines, 1) if self.case.maker in line]
        return f"{self.case.script.name}:{number}"

    def test_the_same_to_the_last_bit(self) -> None:
        untouched = self.losses(self.run_script(sys.executable))
        for way in self.case.ways:
            with self.subTest(way):
                options = ["--tune"] if way == "tuned" else []
                told = self.run_script(str(FEEDRATE), "run", "--out", way, *options)
                self.assertEqual(self.losses(told), untouched)
                self.assertRegex(told.stderr, rf"(?m)^feedrate: {self.case.steps} steps of {re.escape(self.site())} ")
                if way == "tuned":
                    self.check_tuned(told.stderr)

    def check_tuned(self, told: str) -> None:
        if self.case.why_not:
            self.assertIn(f"not tuned: {self.case.why_not}", told)
        else:
            self.assertRegex(told, r"(?m)^  tuned: ")
            cells = (self.folder / "tuned" / "cells.csv").read_text().splitlines()
            self.assertGreater(len(cells), 2, "one setting only:\n" + told)


if __name__ == "__main__":
    Trains.case = CASES[sys.argv[3]]
    lacking = missing(("torch", "numpy", *Trains.case.packages))
    if lacking:
        print(f"skipped: {sys.executable}: needs the package {', '.join(lacking)}")
        sys.exit(77)
    unittest.main(argv=sys.argv[:1])
