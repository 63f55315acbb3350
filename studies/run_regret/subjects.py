# SPDX-License-Identifier: Apache-2.0
"""The ten scripts with their users' settings, and how to run one: alone, or under `feedrate run --tune`."""
from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Optional

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
from peers.machine import CpuMeter, cores  # noqa: E402

SCRIPTS = Path(__file__).resolve().parent / "scripts"
Settings = dict[str, Any]


@dataclass(frozen=True)
class Subject:
    name: str
    own: Settings
    most_workers_per_cpu: float = 1.5  # the limit that feedrate considers; 4 if workers mostly wait
    modules: tuple[str, ...] = ()

    @property
    def script(self) -> Path:
        return SCRIPTS / f"{self.name}.py"

    def grid(self) -> list[Settings]:
        """The candidates of feedrate (training/in_place_candidates.cpp), the user's own settings first."""
        most = round(cores() * self.most_workers_per_cpu)
        own = completed(self.own)
        others = [completed({"num_workers": count, "prefetch_factor": ahead}) for count in worker_counts(own["num_workers"], most) for ahead in (2, 4)]
        return list({text_of(one): one for one in [own, *others]}.values())


SUBJECTS = [
    Subject("image_decode", {"num_workers": 0}, modules=("PIL",)),
    Subject("heavy_collate", {"num_workers": 1}),
    Subject("hdf5", {"num_workers": 0}, modules=("h5py",)),
    Subject("in_memory", {"num_workers": 4}),
    Subject("sleepy_storage", {"num_workers": 2}, 4.0),
    Subject("skewed_samples", {"num_workers": 2}),
    Subject("fat_parent", {"num_workers": 0}),
    Subject("threads_in_workers", {"num_workers": 0}, 4.0),
    Subject("tiny_steps", {"num_workers": 0}),
    Subject("iterable", {"num_workers": 1}),
]


def worker_counts(present: int, most: int) -> list[int]:
    counts = {0, 1, 2, 3, present}
    count = 4
    while count <= most:
        counts.add(count)
        count += max(2, count // 4)
    return sorted(count for count in {*counts, most} if count <= max(most, present))


def completed(settings: Settings) -> Settings:
    """The settings in canonical form."""
    workers = settings["num_workers"]
    return {"num_workers": workers, "prefetch_factor": settings.get("prefetch_factor") or 2} if workers else {"num_workers": 0}


def text_of(settings: Settings) -> str:
    return " ".join(f"{name}={value}" for name, value in settings.items())


def settings_in(text: str) -> Settings:
    return {name: int(value) for name, value in (word.split("=") for word in text.split())}


@dataclass(frozen=True)
class TuningResult:
    """Feedrate's result at the end of a run."""

    chosen: Settings
    confidence: Optional[float] = None  # that no setting is faster by more than `tolerance`; None: no claim
    tolerance: Optional[float] = None
    considered: Optional[int] = None
    tried: Optional[int] = None
    cost_share: Optional[float] = None  # of the time that 1,000 steps took before
    gain: Optional[tuple[float, float, float]] = None  # of the chosen setting over the user's own, with its interval


def read_verdict(verdict: Optional[dict[str, Any]], own: Settings) -> TuningResult:
    """Reads the line that `feedrate run --json` prints (docs/run.md). If nothing was tuned, returns the user's own settings."""
    tuning = verdict and verdict["tuning"]
    if not tuning:
        return TuningResult(completed(own))
    is_tried = not any("the best of those tried" in line for line in verdict["text"])  # otherwise the claim is about another setting
    gain = tuning["gain"]
    return TuningResult(
        completed(tuning["recommended"]),
        tuning["confidence"] if is_tried else None,
        tuning["tolerance"] if is_tried else None,
        tuning["considered"],
        tuning["tried"],
        tuning["cost_share"],
        (gain["ratio"], gain["low"], gain["high"]) if gain else None,
    )


@dataclass(frozen=True)
class Tools:
    feedrate: str
    python: str
    home: Path  # the scripts write their data here

    def run(self, subject_script: Path, words: list[str], mode: Optional[list[str]] = None, preload: Optional[Path] = None) -> tuple[Any, Any, float]:
        """(the script's output, feedrate's verdict, the share of the CPUs that others took). `mode`: options of `feedrate run`; None runs the
        script without feedrate."""
        out = self.home / "result.json"
        out.unlink(missing_ok=True)
        command = [str(subject_script), *words, "--out", str(out)]
        if mode is None:
            command = [self.python, *command]
        else:
            shutil.rmtree(self.home / "run", ignore_errors=True)
            command = [self.feedrate, "run", "--json", *mode, "--out", str(self.home / "run"), *command]
        env = {**os.environ, "FEEDRATE_PYTHON": self.python, "PYTHONDONTWRITEBYTECODE": "1", "OMP_NUM_THREADS": "1"}
        if preload is not None:
            env.update(LD_PRELOAD=str(preload), PYTHONMALLOC="malloc")
        meter = CpuMeter()
        done = subprocess.run(command, cwd=self.home, env=env, capture_output=True, text=True)
        foreign = meter.foreign(float("inf"))
        if done.returncode != 0:
            raise SystemExit(f"{' '.join(command)}: exit {done.returncode}\n{done.stderr}")
        return json.loads(out.read_text()), json.loads(done.stdout) if mode is not None else None, foreign

    def lacks(self, modules: tuple[str, ...]) -> str:
        """Why a script cannot run; empty if it can."""
        done = subprocess.run([self.python, "-c", "".join(f"import {name}\n" for name in ("torch", *modules))], capture_output=True, text=True)
        return done.stderr.strip().splitlines()[-1] if done.returncode != 0 else ""
