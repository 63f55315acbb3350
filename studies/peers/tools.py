# SPDX-License-Identifier: Apache-2.0
"""The programs that run contestants: feedrate, the Pythons, a C compiler; starts and ends a process."""
from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Optional

from .data import Failed, Datasets
from .machine import LOADERS, Python, which_has

INSTALL = {
    "torch": "{python} -m pip install torch",
    "torchvision": "{python} -m pip install torchvision",
    "PIL": "{python} -m pip install pillow",
    "lmdb": "{python} -m pip install lmdb",
    "h5py": "{python} -m pip install h5py",
    "webdataset": "{python} -m pip install webdataset",
    "ffcv": "with OpenCV's and libjpeg-turbo's headers, pkg-config and a C++ compiler: {python} -m pip install ffcv",
    "spdl.pipeline": "{python} -m pip install spdl-core",
    "spdl.io": "with FFmpeg's libraries: {python} -m pip install spdl-io",
}


class Tools:
    def __init__(self, feedrate: str, pythons: Sequence[Python], home: Path, datasets: Datasets, timeout: float) -> None:
        self.feedrate = feedrate
        self.pythons = pythons
        self.home = home  # the working directory of all programs
        self.datasets = datasets
        self._timeout = timeout

    def python(self, modules: Sequence[str]) -> str:
        found = which_has(self.pythons, modules)
        if found is None:
            raise Failed(self._why_none(modules))
        return found.path

    def compile(self, source: str) -> Path:
        compiler = shutil.which(os.environ.get("CC", "cc")) or shutil.which("gcc")
        if compiler is None:
            raise Failed("no C compiler; apt install gcc, or set $CC")
        program = self.home / Path(source).stem
        if not program.exists():
            self.run([compiler, "-std=gnu11", "-O2", "-o", str(program), str(LOADERS / source)])
        return program

    def loader(self, script: str, modules: Sequence[str], job: dict[str, Any]) -> float:
        out = self.run([self.python(modules), str(LOADERS / script), json.dumps(job)])
        try:
            return float(json.loads(out.splitlines()[-1])["value"])
        except (IndexError, KeyError, TypeError, ValueError):
            raise Failed(f"{script}: invalid last line: {out.strip()[-500:]!r}") from None

    def run(self, words: Sequence[str], text: Optional[str] = None, codes: Sequence[int] = (0,)) -> str:
        """Runs a program in its own session, so that an interrupt reaches only this process, and the end kills its workers, too."""
        process = subprocess.Popen(
            words, cwd=self.home, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True
        )
        try:
            out, err = process.communicate(text, timeout=self._timeout)
        except subprocess.TimeoutExpired:
            raise Failed(f"took longer than {self._timeout:.0f} s") from None
        finally:
            _end_all(process)
        if process.returncode not in codes:
            raise Failed(f"{Path(words[0]).name}: exit {process.returncode}: {_last_words(err or out)}")
        return out

    def _why_none(self, modules: Sequence[str]) -> str:
        """The message for the Python that lacks the fewest modules."""
        best = min(self.pythons, key=lambda python: sum(module not in python.found for module in modules))
        lacks = [module for module in modules if module not in best.found]
        why = "; ".join(f"{module}: {best.missing.get(module, 'not looked for')}" for module in lacks)
        how = "; ".join(INSTALL[module].format(python=Path(best.path).name) for module in lacks)
        return f"not installed ({why}). {how}"


def why_not(attempt: Callable[[], object]) -> str:
    """The reason why `attempt` fails; empty if it succeeds."""
    try:
        attempt()
    except Failed as failure:
        return str(failure)
    return ""


def _end_all(process: subprocess.Popen[str]) -> None:
    """Kills the whole session, so that nothing of a contestant runs during the next one."""
    try:
        os.killpg(process.pid, signal.SIGKILL)
    except ProcessLookupError:
        pass
    process.wait()


def _last_words(text: str) -> str:
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    return lines[-1] if lines else "it printed nothing"
