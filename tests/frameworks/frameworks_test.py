#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs a script of a real framework three times: alone, under `feedrate run`, and under `feedrate run --tune`.

    frameworks_test.py <feedrate> <source folder> <case>

It must train the same to the last bit and exit alike. feedrate names the line of the script that makes the loader and counts each
step. If a script of scripts/ measures its share of loading, feedrate prints the same share for that run. With --tune feedrate tries
other settings, or reports why it cannot; a printed line to paste, when pasted, trains the same. Exits 77 if a package of
requirements.txt is missing.
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
STOPWATCH = re.compile(r"(?m)^stopwatch: loading (\d+) %$")
SHARE = re.compile(r"(?m)^  loading .* \((\d+) %\), training .*")
POINTS = 3  # largest difference between feedrate's share and the stopwatch's
PASTED = re.compile(r"(?m)^(?:(?P<file>\S+):\d+)? +(?P<sign>[-+]) (?P<text>.*)$")
LAUNCH = ("-m", "accelerate.commands.launch", "--multi_gpu", "--num_processes", "2", "--main_process_port", "0")


@dataclasses.dataclass
class Case:
    script: pathlib.Path
    packages: tuple[str, ...] = ()
    maker: str = "DataLoader("  # text in the line of the script that makes its loader
    arguments: tuple[str, ...] = ("--epochs", "2")
    launcher: tuple[str, ...] = ()
    steps: int = 300
    ways: tuple[str, ...] = ("watched", "tuned")
    why_not: str = ""
    group: int = 1  # batches that the trainer takes at once


def accumulated(script: str, packages: tuple[str, ...], maker: str = "= DataLoader(", takes_at_once: bool = False) -> dict[str, Case]:
    return {
        f"{script}_{count}": Case(
            SCRIPTS / f"{script}.py", packages, maker, ("--accumulation", str(count)), group=count if takes_at_once else 1
        )
        for count in (1, 2, 4, 8)
    }


def combined(mode: str, steps: int) -> Case:
    """A case with two loaders on separate lines, of which feedrate names the slower one."""
    return Case(SCRIPTS / "lightning_trainer.py", ("lightning",), "many = DataLoader(", ("--mode", mode), steps=steps)


ranks = EXAMPLES / "accelerate_two_ranks.py"
stateful = SCRIPTS / "stateful_loader.py"
CASES = {
    "accelerate": Case(ranks, ("accelerate",)),
    "accelerate_launch": Case(ranks, ("accelerate",), launcher=LAUNCH, steps=150, ways=("watched",)),
    "accelerate_launch_tuned": Case(ranks, ("accelerate",), launcher=LAUNCH, steps=150, ways=("tuned",)),
    "accelerate_torchrun": Case(ranks, ("accelerate",), launcher=TORCHRUN, steps=150, ways=("watched",)),
    "accelerate_torchrun_tuned": Case(ranks, ("accelerate",), launcher=TORCHRUN, steps=150, ways=("tuned",)),
    **accumulated("accelerated", ("accelerate",)),
    "combined_max_size": combined("max_size", 300),
    "combined_max_size_cycle": combined("max_size_cycle", 400),
    "combined_min_size": combined("min_size", 300),
    "hugging_face": Case(EXAMPLES / "hugging_face.py", ("transformers", "accelerate"), maker="trainer.train()"),
    "lightning": Case(EXAMPLES / "lightning_module.py", ("lightning",)),
    **accumulated("lightning_trainer", ("lightning",), "else DataLoader("),
    **accumulated("plain_loop", ()),
    "plain_loop_at_once": Case(SCRIPTS / "plain_loop.py", arguments=("--accumulation", "4", "--taken-at-once", "1"), group=4),
    "plain": Case(EXAMPLES / "plain.py"),
    "plain_workers": Case(EXAMPLES / "plain.py", arguments=("--epochs", "2", "--num-workers", "1")),
    "skorch": Case(SCRIPTS / "skorch_net.py", ("skorch",), "net.fit("),
    "skorch_workers": Case(SCRIPTS / "skorch_net.py", ("skorch",), "net.fit(", ("--workers", "1")),
    "stateful": Case(stateful, ("torchdata",), steps=350, why_not="StatefulDataLoader has a state_dict"),
    "timm": Case(SCRIPTS / "timm_loader.py", ("timm",), maker="loader = create_loader("),
    "timm_multi_epochs": Case(
        SCRIPTS / "timm_loader.py", ("timm",), maker="loader = create_loader(", arguments=("--multi-epochs", "1"),
        why_not="The sampler of MultiEpochsDataLoader starts again",
    ),
    "timm_no_prefetcher": Case(SCRIPTS / "timm_loader.py", ("timm",), "loader = create_loader(", ("--prefetcher", "0")),
    **accumulated("trainer", ("transformers", "accelerate"), "trainer.train()", takes_at_once=True),
    "ultralytics": Case(SCRIPTS / "ultralytics_loader.py", ("ultralytics",), maker="= InfiniteDataLoader("),
    "ultralytics_no_workers": Case(SCRIPTS / "ultralytics_loader.py", ("ultralytics",), "= InfiniteDataLoader(", ("--workers", "0")),
}


def missing(packages: tuple[str, ...]) -> list[str]:
    return [name for name in packages if importlib.util.find_spec(name) is None]


class Trains(unittest.TestCase):
    case: Case

    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def run_script(self, *before: str, script: pathlib.Path | None = None) -> subprocess.CompletedProcess:
        environment = {
            **os.environ,
            "FEEDRATE_PYTHON": sys.executable,
            "HF_HUB_OFFLINE": "1",
            "OMP_NUM_THREADS": "1",  # threads that wait for each other are slow on a busy machine
            "PYTHONDONTWRITEBYTECODE": "1",
            "PYTHONPATH": os.pathsep.join((str(EXAMPLES), str(SCRIPTS))),
            "YOLO_CONFIG_DIR": str(self.folder),
            "YOLO_OFFLINE": "true",
        }
        command = [*before, *self.case.launcher, str(script or self.case.script), *self.case.arguments]
        return subprocess.run(command, cwd=self.folder, env=environment, capture_output=True, text=True, check=False)

    def losses(self, result: subprocess.CompletedProcess) -> list[str]:
        """The printed losses. Python prints a float as the shortest text with the same bits."""
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
        unit = "batches" if self.case.group > 1 else "steps"
        for way in self.case.ways:
            with self.subTest(way):
                options = ["--tune"] if way == "tuned" else []
                output = self.run_script(str(FEEDRATE), "run", "--out", way, *options)
                self.assertEqual(self.losses(output), untouched)
                self.assertRegex(output.stderr, rf"(?m)^feedrate: {self.case.steps} {unit} of {re.escape(self.site())} ")
                if way == "tuned":
                    self.check_tuned(output.stderr)
                    self.check_pasted(output.stderr, untouched)
                elif stopwatch := STOPWATCH.search(output.stdout):
                    self.check_share(output.stderr, int(stopwatch[1]))

    def check_share(self, output: str, stopwatch: int) -> None:
        line = SHARE.search(output[output.index(f" of {self.site()} ") :])
        self.assertLessEqual(abs(int(line[1]) - stopwatch), POINTS, f"the stopwatch said {stopwatch} %:\n{output}")
        self.assertEqual(f", {self.case.group} batches a step" in line[0], self.case.group > 1, output)

    def check_pasted(self, output: str, untouched: list[str]) -> None:
        text = self.case.script.read_text()
        lines = [match for match in PASTED.finditer(output) if match["file"] in (None, self.case.script.name)]
        for before, after in zip(lines[::2], lines[1::2]):
            self.assertEqual((before["sign"], after["sign"]), ("-", "+"), output)
            self.assertEqual(text.count(before["text"]), 1, output)
            text = text.replace(before["text"], after["text"])
        if lines:
            copy = self.folder / self.case.script.name
            copy.write_text(text)
            self.assertEqual(self.losses(self.run_script(sys.executable, script=copy)), untouched)

    def check_tuned(self, output: str) -> None:
        if self.case.why_not:
            self.assertIn(f"not tuned: {self.case.why_not}", output)
        else:
            self.assertRegex(output, r"(?m)^  tuned\b.*: ")
            cells = (self.folder / "tuned" / "cells.csv").read_text().splitlines()
            self.assertGreater(len(cells), 2, "one setting only:\n" + output)


if __name__ == "__main__":
    Trains.case = CASES[sys.argv[3]]
    lacking = missing(("torch", "numpy", *Trains.case.packages))
    if lacking:
        print(f"skipped: {sys.executable}: needs the package {', '.join(lacking)}")
        sys.exit(77)
    unittest.main(argv=sys.argv[:1])
