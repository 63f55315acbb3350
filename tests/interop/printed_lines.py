#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Pastes the lines that `feedrate run --tune` prints into copies of scripts, and runs these with the interpreter's defaults.

    printed_lines.py FEEDRATE [NAME OF A CASE ...]

Each script runs untouched, tuned, with the line pasted, and with the arguments of the JSON output. All four must end alike and train the
same samples. FEEDRATE_PYTHONS names the interpreters, separated by colons; the default is the Python of this test and each pythonX.Y and
pythonX.Yt on PATH. Those without torch are left out. Exits 77 if none has torch.
"""
import concurrent.futures
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
from typing import NamedTuple, Optional

FEEDRATE = os.path.abspath(sys.argv[1])
AT_ONCE = 3
HANGS_AFTER_S = 300
EDIT = re.compile(r"(\S+):(\d+)  - (.*)")
FURTHER = re.compile(r" +  ([-+]) (.*)")
DEFAULT_METHOD = "import multiprocessing; print(multiprocessing.get_all_start_methods()[0])"

DATA = """\
import hashlib, time
import torch
from torch.utils.data import DataLoader, Dataset
class Data(Dataset):
    def __len__(self):
        return {samples}
    def __getitem__(self, index):
        time.sleep({seconds})
        return torch.tensor([index])
def stack(samples):
    return torch.stack(samples)
def local_data():
    class Local(Data):
        pass
    return Local()
"""
TRAIN = """\
def train():
    torch.manual_seed(1)
    {call}
    digest = hashlib.sha256()
    for _ in range({epochs}):
        for batch in loader:
            digest.update(batch.numpy().tobytes())
            time.sleep({training})
    print("samples", digest.hexdigest())
"""
RECOMMENDED = """\
import inspect
MADE = DataLoader
ACCEPTED = {{name: value for name, value in {arguments}.items() if value is not None and name in inspect.signature(MADE.__init__).parameters}}
def DataLoader(*arguments, **named):
    return MADE(*arguments, **{{**named, **ACCEPTED}})
"""


class Case(NamedTuple):
    call: str
    guard: bool = True
    method: str = ""
    needs: tuple[str, ...] = ("fork", "forkserver")  # default start methods that require a line
    samples: int = 1000
    seconds: float = 0.005  # per sample
    training: float = 0.02  # per batch of four samples
    epochs: int = 1
    helper: bool = False  # the call is in a separate module


OWN = {"needs": ("fork",), "seconds": 0.01, "training": 0.01}
SLOW = {"needs": (), "samples": 320, "seconds": 0.1, "training": 0.1}  # its workers may take seconds to start
CASES = {
    "unset": Case("loader = DataLoader(Data(), batch_size=4, shuffle=True)"),
    "unset_no_guard": Case("loader = DataLoader(Data(), 4, shuffle=True)", guard=False),
    "unset_lambda": Case("loader = DataLoader(Data(), batch_size=4, collate_fn=lambda samples: torch.stack(samples))", guard=False),
    "unset_local_class": Case("loader = DataLoader(local_data(), batch_size=4, collate_fn=stack)"),
    "unset_in_lines": Case(
        "loader = DataLoader(\n        Data(),  # the data, é\n        batch_size=4,\n        num_workers=0,\n        shuffle=(\n            True\n        ),\n    )",
        guard=False,
    ),
    "unset_helper": Case("loader = make_loader()", guard=False, helper=True),
    "unset_fork_chosen": Case("loader = DataLoader(Data(), batch_size=4)", method="fork"),
    "unset_spawn_chosen": Case("loader = DataLoader(Data(), batch_size=4)", method="spawn", needs=()),
    "workers": Case("loader = DataLoader(Data(), batch_size=4, num_workers=2)", **OWN),
    "workers_no_guard": Case("loader = DataLoader(Data(), batch_size=4, num_workers=2)", guard=False, **OWN),
    "workers_lambda": Case("loader = DataLoader(Data(), 4, num_workers=1, collate_fn=lambda samples: torch.stack(samples))", **OWN),
    "workers_local_class": Case("loader = DataLoader(local_data(), batch_size=4, num_workers=1, prefetch_factor=2)", **OWN),
    "workers_persistent": Case(
        "loader = DataLoader(Data(), batch_size=4, num_workers=1, persistent_workers=True)", **{**OWN, "samples": 500, "epochs": 2}
    ),
    "workers_by_spawn": Case('loader = DataLoader(Data(), 4, num_workers=1, multiprocessing_context="spawn")', **SLOW),
    "workers_spawn_chosen": Case("loader = DataLoader(Data(), batch_size=4, num_workers=1, collate_fn=stack)", method="spawn", **SLOW),
    "workers_default_slow": Case("loader = DataLoader(Data(), batch_size=4, num_workers=1, collate_fn=stack)", **SLOW),
}


class Run(NamedTuple):
    code: int
    samples: str
    stderr: str


def write_script(folder, case):
    data = DATA.format(samples=case.samples, seconds=case.seconds)
    train = TRAIN.format(call=case.call, epochs=case.epochs, training=case.training)
    chosen = f'torch.multiprocessing.set_start_method("{case.method}"); ' if case.method else ""
    end = f'if __name__ == "__main__":\n    {chosen}train()\n' if case.guard else f"{chosen}train()\n"
    if case.helper:
        made = "def make_loader():\n    return DataLoader(Data(), batch_size=4, shuffle=True)\n"
        (folder / "making.py").write_text(data + made)
        data = "import hashlib, time, torch\nfrom making import make_loader\n"
    (folder / "train.py").write_text(data + train + end)


def run(folder, python, *options):
    environment = {**os.environ, "FEEDRATE_PYTHON": python}
    command = [FEEDRATE, "run", *options, "train.py"] if options else [python, "train.py"]
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, timeout=HANGS_AFTER_S)
    return done, Run(done.returncode, "".join(re.findall(r"^samples .*", done.stdout, re.MULTILINE)), done.stderr)


def edits_of(lines):
    """(file, first line, text before, text after) of each change that the summary prints."""
    edits = []
    for line in lines:
        begin, further = EDIT.fullmatch(line), FURTHER.fullmatch(line)
        if begin:
            edits.append((begin[1], int(begin[2]), [begin[3]], []))
        elif edits and further:
            edits[-1][2 if further[1] == "-" else 3].append(further[2])
    return edits


def paste(folder, edits):
    for name, first, before, after in reversed(edits):
        lines = (folder / name).read_text().split("\n")
        last = first - 1 + len(before)
        text = "\n".join(lines[first - 1 : last])
        assert "\n".join(before) in text, (before, text)
        lines[first - 1 : last] = [text.replace("\n".join(before), "\n".join(after))] if after else []
        (folder / name).write_text("\n".join(lines))


def recommend(folder, name, arguments):
    text = (folder / name).read_text()
    imported = "from torch.utils.data import DataLoader, Dataset\n"
    (folder / name).write_text(text.replace(imported, imported + RECOMMENDED.format(arguments=arguments)))


def expect_alike(expected, found, what):
    assert (found.code, found.samples) == (expected.code, expected.samples), f"{what}: {expected} != {found}"


def try_copies(folder, python, case, verdict, untouched):
    edits = edits_of(verdict["text"])
    assert edits, verdict["text"]
    for what, change in (
        ("pasted", lambda copy: paste(copy, edits)),
        ("recommended", lambda copy: recommend(copy, "making.py" if case.helper else "train.py", verdict["tuning"]["recommended"])),
    ):
        copy = folder / what
        copy.mkdir()
        write_script(copy, case)
        change(copy)
        _, found = run(copy, python)
        expect_alike(untouched, found, f"{what}: {edits}")
    return " | ".join(" ".join(line.strip() for line in edit[3]) for edit in edits)


def try_case(python, method, name) -> Optional[str]:
    """Returns the printed line, or None if nothing has to change."""
    case = CASES[name]
    with tempfile.TemporaryDirectory() as path:
        folder = pathlib.Path(path)
        write_script(folder, case)
        _, untouched = run(folder, python)
        done, tuned = run(folder, python, "--tune", "--json")
        expect_alike(untouched, tuned, "tuned")
        printed = [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]
        verdict = printed[-1] if printed else None
        tuning = verdict and verdict["tuning"]
        is_changed = tuning and any(value not in (None, verdict["settings"][key]) for key, value in tuning["recommended"].items())
        if is_changed:
            return try_copies(folder, python, case, verdict, untouched)
        assert method not in case.needs, f"no line: {tuned.stderr}"
        return None


def try_python(python, names):
    method = subprocess.run([python, "-c", DEFAULT_METHOD], capture_output=True, text=True).stdout.strip()
    failed = 0
    with concurrent.futures.ThreadPoolExecutor(AT_ONCE) as pool:
        for name, future in [(name, pool.submit(try_case, python, method, name)) for name in names]:
            try:
                print(f"  ok {name}: {future.result() or 'no line'}", flush=True)
            except (AssertionError, subprocess.TimeoutExpired) as error:
                failed += 1
                print(f"  FAILED {name}: {error}", flush=True)
    return failed


def candidates():
    named = os.environ.get("FEEDRATE_PYTHONS", "")
    if named:
        return named.split(":")
    found = [path / name for path in map(pathlib.Path, os.get_exec_path()) if path.is_dir() for name in sorted(os.listdir(path))]
    return [sys.executable, *(str(path) for path in found if re.fullmatch(r"python3\.\d+t?", path.name))]


def pythons():
    """The interpreters with torch, each once; prints those that are left out."""
    seen = set()
    for python in candidates():
        asked = "import sys, torch; print(sys.prefix, sys.version.split()[0], torch.__version__)"
        answer = subprocess.run([shutil.which(python) or python, "-c", asked], capture_output=True, text=True)
        if answer.returncode != 0:
            print(f"left out: {python}: {(answer.stderr.strip().splitlines() or ['it does not start'])[-1]}")
        elif answer.stdout not in seen:
            seen.add(answer.stdout)
            yield python, answer.stdout.split()


def main():
    failed, tried = 0, 0
    for python, (_, version, torch_version) in pythons():
        print(f"Python {version}, torch {torch_version}: {python}", flush=True)
        failed += try_python(python, sys.argv[2:] or CASES)
        tried += 1
    if not tried:
        print("skipped: needs a Python with torch")
        return 77
    return int(failed > 0)


if __name__ == "__main__":
    sys.exit(main())
