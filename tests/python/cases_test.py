# SPDX-License-Identifier: Apache-2.0
"""Runs each script of cases/ without feedrate, under `feedrate run`, and under `feedrate run --tune`.

    cases_test.py [--table] [samples | times] [FIRST_LETTERS | NAME]...

The three runs must end alike and print the same, and the expectation in SAMPLES or TIMES must hold. FIRST_LETTERS is a range such as a-k.
Each line "Run: [SHELL COMMANDS;] SCRIPT [ARGUMENTS]" in a script's docstring is a run of it; without such a line it runs once, without
arguments. A line "stopwatch: loading NN %" is the script's own measurement, and may differ.

--table prints the result of each run as Markdown.
"""
from __future__ import annotations

import concurrent.futures
import json
import os
import pathlib
import re
import signal
import subprocess
import sys
import tempfile
import time
import unittest
from typing import Any, Callable, NamedTuple, Optional

ROOT = pathlib.Path(__file__).resolve().parents[2]
FOLDER = pathlib.Path(__file__).resolve().parent / "cases"
FEEDRATE = os.environ.get("FEEDRATE_REAL_PROGRAM", "")
WAYS = {"untouched": None, "watched": (), "tuned": ("--tune",)}  # options of `feedrate run`
HANGS_AFTER_S = 120
AT_ONCE = 4
POINTS = 3  # largest difference of a share of loading from the stopwatch's
STOPWATCH = re.compile(r"^stopwatch: loading (\d+) %\n", re.MULTILINE)


class Run(NamedTuple):
    code: Optional[int]  # None: it hangs
    stdout: str
    stderr: str
    seconds: float
    verdict: Optional[dict[str, Any]]
    history: dict[str, Any]

    @property
    def result(self) -> str:
        return STOPWATCH.sub("", self.stdout)

    @property
    def stopwatch(self) -> int:
        """The share of loading that the script has measured, in percent."""
        return int(STOPWATCH.search(self.stdout)[1])

    @property
    def reason(self) -> str:
        """Why nothing was tuned; empty if tuned, or if there was no need to."""
        reason_text = (self.verdict or {}).get("why_not_tuned") or ""
        segments = [segment for loader in self.history.get("loaders", ()) for segment in loader["segments"]]
        return reason_text or next((segment["problem"] for segment in segments if segment["problem"]), "")

    @property
    def tuning(self) -> dict[str, Any]:
        return (self.verdict or {}).get("tuning") or {}


Runs = dict[str, Run]
Check = Callable[[unittest.TestCase, Runs], None]




def same(test: unittest.TestCase, runs: Runs) -> None:
    """Expects nothing else: tuned or not."""


def refused(*words: str) -> Check:
    """Expects that the loader is not tuned, for a reason that has one of `words`."""

    def check(test: unittest.TestCase, runs: Runs) -> None:
        test.assertRegex(runs["tuned"].reason, re.compile("|".join(map(re.escape, words)), re.IGNORECASE))

    return check


def tuned(test: unittest.TestCase, runs: Runs) -> None:
    """Expects a tuned loader, with workers if the script has none."""
    test.assertEqual(runs["tuned"].reason, "")
    test.assertGreater((runs["tuned"].tuning.get("recommended") or {"num_workers": 0})["num_workers"], 0)


def share(test: unittest.TestCase, runs: Runs) -> None:
    """Expects the stopwatch's share of loading."""
    watched = runs["watched"]
    test.assertIsNotNone(watched.verdict, watched.stderr)
    loading, training = watched.verdict["loading"], watched.verdict["training"]
    test.assertAlmostEqual(100 * loading / (loading + training), watched.stopwatch, delta=POINTS)


def share_or_thread(test: unittest.TestCase, runs: Runs) -> None:
    """Expects the stopwatch's share, or a verdict that another thread takes the batches."""
    if "another thread" not in " ".join((runs["watched"].verdict or {"text": ()})["text"]):
        share(test, runs)


def steps(number: int) -> Check:
    """Expects `number` steps of one loader, and no other loader."""

    def check(test: unittest.TestCase, runs: Runs) -> None:
        for way in "watched", "tuned":
            test.assertEqual((runs[way].verdict or {}).get("steps"), number, way)
            test.assertNotIn("\n  also ", runs[way].stderr)

    return check


def two_loaders_of(number: int) -> Check:
    """Expects `number` steps of each of two loaders."""

    def check(test: unittest.TestCase, runs: Runs) -> None:
        for way in "watched", "tuned":
            test.assertEqual(len(re.findall(rf"\b{number} steps\b", "\n".join((runs[way].verdict or {"text": ()})["text"]))), 2, way)

    return check


def one_tuned_loader(number: int) -> Check:
    def check(test: unittest.TestCase, runs: Runs) -> None:
        steps(number)(test, runs)
        test.assertEqual(len(runs["tuned"].history["loaders"]), 1)
        test.assertGreater(runs["tuned"].tuning["recommended"]["num_workers"], 0)

    return check


def batch_size(number: int) -> Check:
    def check(test: unittest.TestCase, runs: Runs) -> None:
        for way in "watched", "tuned":
            test.assertEqual((runs[way].verdict or {"settings": {}})["settings"].get("batch_size"), number, way)

    return check


def own_settings_stay(test: unittest.TestCase, runs: Runs) -> None:
    verdict = runs["tuned"].verdict
    test.assertIsNotNone(verdict)
    if runs["tuned"].tuning:
        test.assertEqual(runs["tuned"].tuning["recommended"]["num_workers"], verdict["settings"]["num_workers"])


def within_bound(test: unittest.TestCase, runs: Runs) -> None:
    """Expects that the printed cost of trials is within the budget."""
    test.assertIsNotNone(runs["tuned"].verdict)
    if runs["tuned"].tuning:
        test.assertLessEqual(runs["tuned"].tuning["cost_share"], runs["tuned"].tuning["budget"])


def line_of_the_script(mark: str) -> Check:
    """Expects a site whose line ends with the comment `mark`."""

    def check(test: unittest.TestCase, runs: Runs) -> None:
        for way in "watched", "tuned":
            file, _, line = (runs[way].verdict or {"site": ":0"})["site"].rpartition(":")
            test.assertTrue(file and pathlib.Path(file).read_text().splitlines()[int(line) - 1].endswith(mark), f"{way}: {file}:{line}")

    return check


def pasted_lines_keep(*arguments: str) -> Check:
    def check(test: unittest.TestCase, runs: Runs) -> None:
        for run in runs.values():
            for line in re.findall(r"^ *\+ .*DataLoader\(.*", run.stderr, re.MULTILINE):
                for argument in arguments:
                    test.assertIn(argument, line)

    return check


SAMPLES: dict[str, Check] = {
    "augmentation_generator": same,
    "batches_are_views": refused("rows"),
    "cache_of_the_first_epoch": refused("cache"),
    "cached_mosaic": refused("results_cache"),
    "calls_per_update": refused("sample_count", "sample_buffer"),
    "connection_of_the_dataset": refused("connection"),
    "counts_by_path": refused("seen"),
    "counts_in_a_file": same,
    "dataset_set_in_the_loop": refused("size"),
    "default_type_in_the_loop": same,
    "delayed_settings": refused("cfg"),
    "end_within_a_trial": same,
    "end_within_a_trial dataset": same,
    "end_within_a_trial training": same,
    "event_loop_of_the_dataset": refused("event loop", "connection"),
    "fallback_candidates": refused("_rng", "_fallback_candidates"),
    "ffmpeg_pipe": refused("_pipe", "framecount"),
    "field_made_at_first_use": same,
    "files_moved_by_loading": same,
    "framework_local_kept_alive": same,
    "generator_of_a_library": refused("another batch"),
    "generator_shared_with_the_training": refused("generator"),
    "generator_shared_with_the_training shuffle": same,
    "global_seed_by_index": refused("random", "generators"),
    "gradients_into_the_dataset": refused("embedding"),
    "hardness_sampler": refused("weights", "random"),
    "invalid_samples_report": refused("_valid_indices", "_invalid_indices"),
    "iterator_of_the_dataset": refused("another batch"),
    "join_all_children": same,
    "join_all_children wait": same,
    "kept_labels_then_validation": same,
    "labels_in_an_array": refused("labels"),
    "labels_in_shared_memory": refused("labels"),
    "lazy_file_after_zero_workers": same,
    "level_of_a_worker": refused("level"),
    "lines_of_an_open_file": refused("corpus.txt"),
    "log_of_loads": same,
    "losses_in_a_list": refused("losses"),
    "memmap_of_targets": refused("targets", "another batch"),
    "memory_bank_labels": refused("labels"),
    "multi_scale_collate": refused("batch_count", "img_size"),
    "network_on_the_device": refused("teacher", "cuda"),
    "only_worker_reads_on": same,
    "packing_collator": refused("buffer", "packed_queue"),
    "prefetching_thread": refused("thread", "stream", "queue"),
    "queue_of_a_sampler_process": refused("queue", "connection"),
    "random_generator_of_the_dataset": refused("random"),
    "rare_bad_files": same,
    "rare_draws": same,
    "rare_level": same,
    "replay_buffer": refused("obses", "idx", "actions", "rewards"),
    "running_checksum": refused("checksum"),
    "sampler_with_feedback": refused("heap"),
    "scores_of_many_objects": refused("score"),
    "settings_behind_many_records": refused("size"),
    "settings_in_a_dictionary": refused("size"),
    "settings_in_a_namespace": refused("size"),
    "settings_in_the_environment": same,
    "settings_of_a_class": refused("size"),
    "settings_of_a_module": refused("size"),
    "shards_are_freed": same,
    "shared_namespace": refused("connection", "shared", "add_empty_sequences", "add_pre_tokens"),
    "simulator_with_feedback": refused("connection"),
    "sqlite_on_disk": refused("connection", "sqlite3"),
    "state_of_the_second_part": same,
    "targets_of_many_samples": refused("targets"),
    "threads_of_the_dataset": refused("pool"),
    "warnings_that_the_script_counts": same,
    "working_directory_in_the_loop": same,
}
# These compare times, or find faster settings, so they may fail under load.
TIMES: dict[str, Check] = {
    "batches_taken_in_groups": share,
    "checkpoints_of_the_dataset": tuned,
    "line_of_a_library": line_of_the_script("# This line is the site."),
    "loader_in_a_thread": share_or_thread,
    "loader_made_anew": one_tuned_loader(376),
    "loop_variables_like_attributes": tuned,
    "marked_after_it_was_made": pasted_lines_keep("shuffle=True", "drop_last=True"),
    "nested_batches": share,
    "new_batch_size": batch_size(8),
    "next_of_iter": share,
    "seeking_in_a_lazy_file": tuned,
    "shards_in_bursts": share,
    "short_epochs": own_settings_stay,
    "spawned_workers_cost": within_bound,
    "two_loaders_in_a_step": share,
    "two_threads": two_loaders_of(250),
    "validation_within_epoch": within_bound,
}
EXPECTED = {**SAMPLES, **TIMES}




def commands() -> dict[str, tuple[str, list[str]]]:
    """name -> (commands of the shell, the script with its arguments)."""
    found = {}
    for path in sorted(FOLDER.glob("*.py")):
        for line in re.findall(r"^Run: (.*)$", path.read_text(), re.MULTILINE) or [path.name]:
            first, _, script = line.rpartition(";")
            _, *arguments = script.split()
            found[" ".join([path.stem, *arguments])] = (first, [str(path), *arguments])
    return found


def run(first: str, script: list[str], way: str) -> Run:
    with tempfile.TemporaryDirectory(prefix="cases-") as folder:
        environment = {**os.environ, "FEEDRATE_PYTHON": sys.executable, "FEEDRATE_PROGRAM": FEEDRATE, "PYTHONDONTWRITEBYTECODE": "1"}
        if WAYS[way] is None:
            program = [sys.executable]
            environment["PYTHONPATH"] = str(ROOT / "python")
        else:
            program = [FEEDRATE, "run", *WAYS[way], "--json", "--out", os.path.join(folder, "out")]
        shell = ["/bin/sh", "-c", f'{first or ":"}; exec "$@"', "sh"]
        begun = time.monotonic()
        process = subprocess.Popen(
            [*shell, *program, *script], cwd=folder, env=environment, text=True, start_new_session=True,
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        )  # fmt: skip
        try:
            stdout, stderr = process.communicate(timeout=HANGS_AFTER_S)
            code: Optional[int] = process.returncode
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            stdout, stderr = process.communicate()
            code = None
        seconds = time.monotonic() - begun
        verdict = None
        if WAYS[way] is not None and code is not None:
            stdout, verdict = without_verdict(stdout)
        return Run(code, stdout, stderr, seconds, verdict, history_in(os.path.join(folder, "out", "run.json")))


def without_verdict(stdout: str) -> tuple[str, Optional[dict[str, Any]]]:
    """(the script's output, the verdict in the last line or None)."""
    begin = stdout.rstrip("\n").rfind("\n") + 1
    try:
        return stdout[:begin], json.loads(stdout[begin:])
    except ValueError:
        return stdout, None


def history_in(path: str) -> dict[str, Any]:
    try:
        with open(path) as file:
            return json.load(file).get("history") or {}
    except (OSError, ValueError):
        return {}


class Case(unittest.TestCase):
    def __init__(self, name: str, runs: concurrent.futures.Future[Runs]) -> None:
        super().__init__()
        self.name = name
        self.runs = runs

    def __str__(self) -> str:
        return self.name

    def runTest(self) -> None:  # noqa: N802  # unittest's name
        runs = self.runs.result()
        untouched = runs["untouched"]
        self.assertIn("result: ", untouched.stdout, untouched.stderr)
        unexpected = [text for text in ("Traceback", "Exception ignored") if text not in untouched.stderr]
        for way, run in runs.items():
            with self.subTest(way):
                self.assertIsNotNone(run.code, f"hangs: {run.stderr}")
                self.assertEqual((run.code, run.result), (untouched.code, untouched.result), run.stderr)
                for text in unexpected:
                    self.assertNotIn(text, run.stderr)
        with self.subTest("expected"):
            EXPECTED[self.name](self, runs)


def row(name: str, runs: Runs) -> str:
    untouched = runs["untouched"]

    def outcome(run: Run) -> str:
        if run.code is None:
            return "hangs"
        return "same" if (run.code, run.result) == (untouched.code, untouched.result) else f"other ({run.code}): {run.result.strip()}"

    tuned = runs["tuned"]
    recommended = tuned.tuning.get("recommended") or {}
    became = tuned.reason or ", ".join(f"{key}={recommended[key]}" for key in ("num_workers", "prefetch_factor") if recommended.get(key) is not None)
    times = ", ".join(f"{run.seconds:.1f}" for run in runs.values())
    cells = [name, untouched.result.strip().replace("\n", "; "), outcome(runs["watched"]), outcome(tuned), times, became or "no verdict"]
    return "| " + " | ".join(cell.replace("|", "\\|").replace("\n", "; ") for cell in cells) + " |"


def is_named(case: str, argument: str) -> bool:
    """Whether the argument is the case's name, which selects all of its runs, or a range with its first letter."""
    return case.split()[0] == argument or re.fullmatch("[a-z]-[a-z]", argument) is not None and re.match(f"[{argument}]", case) is not None


def main(arguments: list[str]) -> int:
    if not FEEDRATE:
        print("skipped: FEEDRATE_REAL_PROGRAM is not set")
        return 77
    if subprocess.run([sys.executable, "-c", "import torch"], stderr=subprocess.DEVNULL).returncode:
        print(f"skipped: {sys.executable} has no torch")
        return 77
    all_commands = commands()
    assert sorted(all_commands) == sorted(EXPECTED), set(all_commands) ^ set(EXPECTED)
    groups = {"samples": SAMPLES, "times": TIMES}
    of_groups = {name for argument in arguments for name in groups.get(argument, ())} or set(EXPECTED)
    wanted = [argument for argument in arguments if argument not in (*groups, "--table")]
    names = [name for name in all_commands if name in of_groups and (not wanted or any(is_named(name, one) for one in wanted))]
    with concurrent.futures.ThreadPoolExecutor(AT_ONCE) as pool:
        all_runs = {name: pool.submit(lambda name: {way: run(*all_commands[name], way) for way in WAYS}, name) for name in names}
        result = unittest.TextTestRunner(verbosity=2).run(unittest.TestSuite(Case(name, runs) for name, runs in all_runs.items()))
    if "--table" in arguments:
        print("| case | untouched | watched | tuned | seconds | tuned to, or refused because |\n| --- | --- | --- | --- | --- | --- |")
        for name, runs in all_runs.items():
            print(row(name, runs.result()))
    return not result.wasSuccessful()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
