# SPDX-License-Identifier: Apache-2.0
"""feedrate in Python, with a fake of `feedrate run --listen`, or with the program that FEEDRATE_REAL_PROGRAM names."""
from __future__ import annotations

import json
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import textwrap
import time
import unittest
from collections.abc import Callable
from typing import Any

from watching_test import HOOK, ROOT, SCRIPT_BEGIN, Result, Scripts

PYTHON = ROOT / "python"
REAL_PROGRAM = os.environ.get("FEEDRATE_REAL_PROGRAM", "")
FAKE = pathlib.Path(__file__).with_name("fake_program.py")
sys.path.insert(0, str(PYTHON))

from torch.utils.data import DataLoader

import fake_program
import feedrate
from feedrate.recommended import Recommendation

BEGIN = SCRIPT_BEGIN + textwrap.dedent(
    """
    import feedrate

    def iterate(loader, until):
        for epoch in range(2000):
            batches = [batch.tolist() for batch in loader]
            if until(feedrate.recommendation(loader)):
                return batches
            time.sleep(0.02)
    """
)


def wait_until(is_so: Callable[[], bool]) -> bool:
    end = time.monotonic() + 60
    while not is_so() and time.monotonic() < end:
        time.sleep(0.02)
    return is_so()


def is_alive(process: int) -> bool:
    try:
        return pathlib.Path(f"/proc/{process}/stat").read_text().rsplit(")", 1)[1].split()[0] != "Z"
    except (FileNotFoundError, ProcessLookupError):
        return False


class WithProgram(Scripts):
    def setUp(self) -> None:
        super().setUp()
        self.program = self.folder / "feedrate"
        self.program.write_text(f'#!/bin/sh\nexec {sys.executable} {FAKE} "$@"\n')
        self.program.chmod(0o755)
        self.temporary = self.folder / "temporary"
        self.temporary.mkdir()
        self.environment = {
            "also": str(PYTHON), "FEEDRATE_PROGRAM": str(self.program), "FAKE_LOG": str(self.folder / "log"),
            "TMPDIR": str(self.temporary),
        }  # fmt: skip

    def run_script(self, body: str, **environment: str) -> Result:
        return self.start(BEGIN + textwrap.dedent(body), None, **{**self.environment, **environment})

    def received(self, event: str) -> list[dict[str, Any]]:
        log = self.folder / "log"
        lines = map(json.loads, log.read_text().splitlines() if log.exists() else [])
        return [line for line in lines if line["event"] == event]


class Marked(WithProgram):
    def test_are_watched_and_tuned_and_no_others(self) -> None:
        result = self.run_script(
            """
            plain, watched, tuned = [DataLoader(Sleeping(length), 4) for length in (8, 8, 12)]
            print(feedrate.watch(watched) is watched, feedrate.tune(tuned, budget=0.1) is tuned, feedrate.recommendation(tuned))
            list(plain)
            print("FEEDRATE_RUN" in os.environ)
            expected = [batch.tolist() for batch in plain]
            longer = expected + [[[float(index)] * 3 for index in range(8, 12)]]
            print(iterate(watched, lambda found: found is not None) == expected, feedrate.recommendation(watched).is_final)
            print(iterate(tuned, lambda found: found is not None) == longer, feedrate.recommendation(tuned).is_final)
            open(os.environ["FAKE_TUNES"], "w")
            print(iterate(tuned, lambda found: found is not None and found.is_final) == longer)
            found = feedrate.recommendation(tuned)
            print(dict(found), found.gain, len(list(DataLoader(Sleeping(8), batch_size=4, **found))))
            print(oct(os.stat(os.path.dirname(os.environ["FEEDRATE_RUN"])).st_mode & 0o777))
            feedrate.tune(tuned, budget=0.1)
            list(tuned)
            feedrate.tune(watched)
            print(feedrate.recommendation(watched))
            list(watched)
            """,
            FAKE_TUNES=str(self.folder / "tuned"),
        )
        self.assertEqual((result.returncode, result.stderr), (0, "feedrate: the summary\n"))
        arguments = {"num_workers": 1, "pin_memory": False, "persistent_workers": False, "prefetch_factor": 4}
        lines = result.stdout.splitlines()
        found, gain, batches = lines.pop(5).rsplit(maxsplit=2)
        found = eval(found)
        self.assertTrue(found.pop("in_order", True))  # if this torch has it
        self.assertEqual((found, gain, batches), (arguments, "1.71", "2"))
        self.assertEqual(lines, ["True True None", "False", "True True", "True False", "True", "0o700", "None"])
        self.assertEqual([(line["loader"], line["tune"]) for line in self.received("loader")], [(0, None), (1, 0.1), (2, 0.05)])
        line = BEGIN.count("\n") + 3
        self.assertEqual({line["site"] for line in self.received("loader")}, {f"{self.folder}/train.py:{line}"})
        rows = [row for line in self.received("marks") for row in zip(*[iter(line["rows"])] * 6)]
        self.assertEqual({row[0] for row in rows}, {0, 1, 2})
        self.assertEqual([row for row in rows if row[0] == 1 and row[4] == -3], [(1, 0, 0, 0, -3, 5)])
        self.assertGreater(len([row for line in self.received("fetches") for row in line["rows"]]), 0)
        self.assertEqual(len(self.received("over")), 1)
        self.assertTrue(wait_until(lambda: not os.listdir(self.temporary)), os.listdir(self.temporary))

    def test_refuse_other_objects_and_other_budgets(self) -> None:
        for function in (feedrate.watch, feedrate.tune, feedrate.recommendation):
            with self.assertRaisesRegex(TypeError, r"expects a torch\.utils\.data\.DataLoader, not list"):
                function([1, 2])
        for budget in (0, -1, 1.01, float("nan")):
            with self.assertRaisesRegex(ValueError, "above 0 and at most 1"):
                feedrate.tune(DataLoader([1, 2]), budget)

    def test_are_passed_on_to_a_loader_that_a_framework_makes(self) -> None:
        result = self.run_script(
            """
            accelerate = type(sys)("accelerate")
            exec("def prepare(loader):\\n    return type(loader)(loader.dataset, batch_sampler=loader.batch_sampler)", vars(accelerate))
            loader = accelerate.prepare(feedrate.tune(DataLoader(Sleeping(8), 4), budget=0.1))
            print(len(list(loader)))
            """
        )
        self.assertEqual((result.returncode, result.stdout, result.stderr), (0, "2\n", "feedrate: the summary\n"))
        line = BEGIN.count("\n") + 4
        self.assertEqual([(line["site"], line["tune"]) for line in self.received("loader")], [(f"{self.folder}/train.py:{line}", 0.1)])

    def test_adapters_of_accelerate_mark_what_they_iterate(self) -> None:
        class Adapter:
            def __init__(self, loader: DataLoader) -> None:
                self.base_dataloader = loader

            @property
            def __class__(self) -> type:
                return DataLoader

        loader = DataLoader([1, 2])
        feedrate.tune(Adapter(loader))
        self.assertEqual(vars(loader)["_feedrate_tune"], 0.05)


class Helper(WithProgram):
    def test_is_no_child_and_in_a_session_of_its_own(self) -> None:
        result = self.run_script(
            """
            list(feedrate.watch(DataLoader(Sleeping(4))))
            try:
                os.waitpid(-1, os.WNOHANG)
            except ChildProcessError:
                print("no child")
            print(os.getsid(0), os.getpgrp())
            """
        )
        first, second = result.stdout.splitlines()
        (begun,) = self.received("begun")
        self.assertEqual((first, result.stderr), ("no child", "feedrate: the summary\n"))
        self.assertNotIn(str(begun["session"]), second.split())
        self.assertNotIn(str(begun["group"]), second.split())

    def test_outlives_an_interrupt_until_it_has_reported(self) -> None:
        body = """
            loader = feedrate.watch(DataLoader(Sleeping(4)))
            list(loader)
            open("begun", "w").close()
            for _ in range(3000):
                list(loader)
                time.sleep(0.02)
            """
        (self.folder / "train.py").write_text(BEGIN + textwrap.dedent(body))
        environment = {**os.environ, **self.environment, "PYTHONPATH": str(PYTHON)}
        command = [sys.executable, "train.py"]
        with subprocess.Popen(command, cwd=self.folder, env=environment, start_new_session=True, stderr=subprocess.PIPE) as script:
            self.assertTrue(wait_until(lambda: (self.folder / "begun").exists()))
            os.killpg(script.pid, signal.SIGINT)
            output = script.communicate(timeout=60)[1].decode()
            self.assertIn("KeyboardInterrupt", output)
            self.assertIn("the summary", output)
        self.assertEqual(script.returncode, -signal.SIGINT)
        self.assertEqual((len(self.received("end")), len(self.received("over"))), (1, 1))

    def test_keeps_no_pipe_of_the_script_open(self) -> None:
        (self.folder / "train.py").write_text(BEGIN + "list(feedrate.watch(DataLoader(Sleeping(4))))\nprint('done')\n")
        release = self.folder / "release"
        environment = {**os.environ, **self.environment, "PYTHONPATH": str(PYTHON), "FAKE_LASTS": str(release)}
        with open(self.folder / "stderr", "w") as stderr:
            command = [sys.executable, "train.py"]
            result = subprocess.run(command, cwd=self.folder, env=environment, stdout=subprocess.PIPE, stderr=stderr, timeout=300)
        (begun,) = self.received("begun")
        self.assertTrue(is_alive(begun["process"]))
        release.touch()
        self.assertEqual((result.returncode, result.stdout), (0, b"done\n"))
        self.assertTrue(wait_until(lambda: not is_alive(begun["process"]) and not os.listdir(self.temporary)))

    def test_that_is_killed_leaves_the_script_alone(self) -> None:
        result = self.run_script(
            """
            import json, signal
            loader = feedrate.tune(DataLoader(Sleeping(80), 4))
            iterate(loader, lambda found: found is not None and found.is_final)
            os.kill(json.loads(open(os.environ["FAKE_LOG"]).readline())["process"], signal.SIGKILL)
            import feedrate.patch
            iterate(loader, lambda found: not feedrate.patch._session.is_on)
            print([batch.tolist() for batch in loader][1][3], feedrate.recommendation(loader).is_final)
            """
        )
        self.assertEqual((result.returncode, result.stdout), (0, "[7.0, 7.0, 7.0] True\n"))
        self.assertNotIn("Traceback", result.stderr)
        self.assertTrue(wait_until(lambda: not os.listdir(self.temporary)))


class RealProgram(WithProgram):
    @unittest.skipUnless(REAL_PROGRAM, "FEEDRATE_REAL_PROGRAM is not set")
    def test_watches_and_tunes(self) -> None:
        result = self.run_script(
            """
            loader = feedrate.tune(DataLoader(Sleeping(90, 0.001)), budget=0.01)
            iterate(loader, lambda found: found is not None and found.is_final)
            found = feedrate.recommendation(loader)
            print(len(DataLoader(Sleeping(90), batch_size=2, **found)), found.is_final, found.explain().splitlines()[0])
            print(found.bound in ("INPUT-BOUND", "BALANCED", "TRAINING-BOUND", "GPU-BOUND"), 0 < found.loading_share < 1, found.gain > 0)
            """,
            FEEDRATE_PROGRAM=REAL_PROGRAM,
        )
        self.assertEqual(result.returncode, 0, result.stderr)
        first, second = result.stdout.splitlines()
        self.assertRegex(first, r"^45 True \d+ steps of train\.py:\d+ DataLoader\(Sleeping, num_workers=0\)$")
        self.assertEqual(second, "True True True")
        self.assertRegex(result.stderr, r"(?m)^feedrate: [\d,]+ steps of train\.py:\d+ DataLoader\(Sleeping.*\n  loading ")
        self.assertTrue(wait_until(lambda: not os.listdir(self.temporary)), os.listdir(self.temporary))


    @unittest.skipUnless(REAL_PROGRAM, "FEEDRATE_REAL_PROGRAM is not set")
    def test_ends_with_a_script_that_never_connects(self) -> None:
        script = """
            import os
            from feedrate import program
            folder = os.path.dirname(program.socket_path())
            print(os.listdir(folder), os.path.dirname(folder) == os.environ["TMPDIR"], flush=True)
            os._exit(3)
            """
        result = self.run_script(script, FEEDRATE_PROGRAM=REAL_PROGRAM)
        self.assertEqual((result.returncode, result.stdout), (3, "['run.socket'] True\n"), result.stderr)
        self.assertTrue(wait_until(lambda: not os.listdir(self.temporary)), os.listdir(self.temporary))


MET = 'not feedrate.patch._session.is_on or "news" in open(os.environ["FAKE_LOG"]).read()'


class Without(WithProgram):
    EXPECTED = "[[[0.0, 0.0, 0.0]], [[1.0, 1.0, 1.0]], [[2.0, 2.0, 2.0]]]"

    def run_loop(self, begin: str = "", until: str = "True", **environment: str) -> Result:
        body = f"""
            {begin}
            loader = feedrate.tune(DataLoader(Sleeping(3)))
            for _ in range(2):
                print([batch.tolist() for batch in loader])
            iterate(loader, lambda _: {until})
            print(feedrate.recommendation(loader))
            """
        result = self.run_script(body, **environment)
        self.assertEqual((result.returncode, result.stdout), (0, f"{self.EXPECTED}\n" * 2 + "None\n"))
        return result

    def test_a_program_the_loader_iterates_as_before(self) -> None:
        result = self.run_loop(FEEDRATE_PROGRAM=str(self.folder / "absent"))
        self.assertEqual(len(result.stderr.splitlines()), 1)
        self.assertIn("no program feedrate", result.stderr)

    def test_a_program_that_listens_the_loader_iterates_as_before(self) -> None:
        result = self.run_loop(FAKE_DOES="fails")
        self.assertEqual(len(result.stderr.splitlines()), 1)
        self.assertIn(f"{self.program} does not listen", result.stderr)
        result = self.run_loop("import feedrate.program; feedrate.program._START_S = 3", FAKE_DOES="is silent")
        self.assertEqual(len(result.stderr.splitlines()), 1)
        self.assertIn(f"{self.program} does not listen", result.stderr)
        self.assertTrue(wait_until(lambda: not any(is_alive(line["process"]) for line in self.received("begun"))))
        self.assertEqual(os.listdir(self.temporary), [])

    def test_a_protocol_in_common_the_loader_iterates_as_before(self) -> None:
        for does, ends in (("closes", 0), ("strange", 1), ("malformed", 0)):
            with self.subTest(does):
                (self.folder / "log").unlink(missing_ok=True)
                self.assertEqual(self.run_loop("import feedrate.patch", until=MET, FAKE_DOES=does).stderr, "feedrate: the summary\n")
                self.assertEqual(len(self.received("end")), ends)


class Verdict(unittest.TestCase):
    LOADER = {
        "site": "<train>.py:4", "class": "DataLoader", "dataset": "Images", "tune": 0.05,
        "settings": {"batch_size": 64, "num_workers": 0, "pin_memory": False, "persistent_workers": False},
    }  # fmt: skip

    def make(self, is_over: bool = True, is_tuned: bool = True, **changes: Any) -> Recommendation:
        return Recommendation.of({**fake_program.verdict_of(self.LOADER, is_over), **changes}, is_tuned)

    def test_is_a_mapping_of_arguments(self) -> None:
        found = self.make()
        self.assertEqual((found["num_workers"], found["prefetch_factor"], found["persistent_workers"]), (1, 4, False))
        self.assertNotIn("multiprocessing_context", found)
        self.assertNotIn("batch_size", found)
        loader = DataLoader([1, 2, 3], batch_size=2, **found)
        self.assertEqual((loader.num_workers, loader.prefetch_factor, loader.batch_size), (1, 4, 2))
        without = self.make(tuning=None)
        self.assertEqual(dict(without), {"num_workers": 0, "pin_memory": False})
        self.assertEqual(len(list(DataLoader([1, 2, 3], batch_size=2, **without))), 2)

    def test_has_the_figures_of_the_program(self) -> None:
        found = self.make()
        self.assertEqual((found.gain, found.gain_interval, found.confidence), (1.71, (1.66, 1.76), 0.95))
        self.assertEqual((found.bound, found.loading_share), ("INPUT-BOUND", 0.75))
        self.assertEqual(found.explain(), "400 steps of <train>.py:4\nloading 60 ms & training 20 ms")
        began = self.make(is_over=False)
        self.assertEqual((began.gain, began.gain_interval, began.confidence), (1.0, None, 0.95))
        without = self.make(tuning=None)
        self.assertEqual((without.gain, without.gain_interval, without.confidence), (1.0, None, 0.0))

    def test_is_final_after_the_last_trial(self) -> None:
        self.assertTrue(self.make().is_final)
        self.assertFalse(self.make(is_over=False).is_final)
        self.assertTrue(self.make(is_tuned=False, tuning=None).is_final)
        self.assertFalse(self.make(tuning=None).is_final)
        self.assertTrue(self.make(tuning=None, why_not_tuned="The dataset is iterable.").is_final)

    def test_does_not_change(self) -> None:
        found = self.make()
        with self.assertRaises(AttributeError):
            found.gain = 2.0
        with self.assertRaises(TypeError):
            found["num_workers"] = 3
        self.assertEqual(found, self.make())

    def test_shows_itself(self) -> None:
        found = self.make()
        self.assertRegex(repr(found), r"^Recommendation\(\{'num_workers': 1, .*\}, gain=1\.71, bound='INPUT-BOUND', is_final=True\)$")
        shown = found._repr_html_()
        self.assertIn("<tr><td>num_workers</td><td>0</td><td>1</td></tr>", shown)
        self.assertIn("400 steps of &lt;train&gt;.py:4\nloading 60 ms &amp; training 20 ms", shown)
        self.assertNotIn("<train>", shown)


class Package(WithProgram):
    def run_python(self, *arguments: str, path: str, **environment: str) -> Result:
        environment = {**os.environ, "PYTHONPATH": path, "PYTHONDONTWRITEBYTECODE": "1", **environment}
        command = [sys.executable, *arguments]
        return subprocess.run(command, cwd=self.folder, env=environment, capture_output=True, text=True, timeout=300)

    def test_does_not_import_torch_before_it_is_used(self) -> None:
        script = "import sys, feedrate; print(feedrate.__version__, 'torch' in sys.modules, feedrate.tune, 'torch' in sys.modules)"
        result = self.run_python("-c", script, path=str(PYTHON))
        self.assertRegex(result.stdout, r"^\d+\.\d+\.\d+ False <function tune at 0x\w+> True\n$")
        self.assertIn("no attribute 'absent'", self.run_python("-c", "import feedrate; feedrate.absent", path=str(PYTHON)).stderr)

    def test_of_the_program_comes_before_an_installed_one(self) -> None:
        (self.folder / "feedrate").unlink()
        (self.folder / "feedrate").mkdir()
        (self.folder / "feedrate" / "__init__.py").write_text("__version__ = 'installed'")
        for first in ("", "import torch.utils.data; "):
            script = first + "import feedrate; print(feedrate.__file__, feedrate.tune.__module__)"
            result = self.run_python("-c", script, path=f"{HOOK}{os.pathsep}{self.folder}", FEEDRATE_RUN=str(self.folder / "absent"))
            self.assertEqual((result.stdout, result.stderr), (f"{PYTHON}/feedrate/__init__.py feedrate.api\n", ""))

    def test_prints_why_nothing_is_watched_if_feedrate_debug_is_set(self) -> None:
        shutil.copytree(PYTHON / "feedrate", self.folder / "broken" / "feedrate")
        (self.folder / "broken" / "feedrate" / "patch.py").write_text("raise ValueError('broken')")
        hook = str(self.folder / "broken" / "feedrate" / "hook")
        for debug, expected in (("1", "ValueError: broken\n"), ("0", ""), ("", "")):
            result = self.run_python("-c", "import torch.utils.data", path=hook, FEEDRATE_RUN="absent", FEEDRATE_DEBUG=debug)
            self.assertEqual(result.returncode, 0)
            self.assertTrue(result.stderr.endswith(expected) and bool(result.stderr) == bool(expected), result.stderr)

    def test_takes_a_rank_for_what_it_is(self) -> None:
        script = "import torch; from feedrate import session; print(session._process()['rank'])"
        for rank, expected in (("3", "3"), ("9" * 5000, "None"), ("²", "None"), ("-1", "None"), ("", "None")):
            self.assertEqual(self.run_python("-c", script, path=str(PYTHON), RANK=rank).stdout, f"{expected}\n")

    def test_runs_the_program(self) -> None:
        self.program.write_text('#!/bin/sh\nprintf "%s\\n" "$@" "$FEEDRATE_PYTHON"\nexit 7\n')
        chosen = {"FEEDRATE_PROGRAM": str(self.program)}
        result = self.run_python("-m", "feedrate", "run", "--tune", "a b.py", path=str(PYTHON), FEEDRATE_PYTHON="", **chosen)
        self.assertEqual((result.returncode, result.stdout), (7, f"run\n--tune\na b.py\n{sys.executable}\n"))
        result = self.run_python("-m", "feedrate", path=str(PYTHON), FEEDRATE_PYTHON="mine", **chosen)
        self.assertEqual((result.returncode, result.stdout), (7, "mine\n"))
        result = self.run_python("-m", "feedrate", path=str(PYTHON), FEEDRATE_PROGRAM="/absent")
        self.assertEqual((result.returncode, len(result.stderr.splitlines())), (1, 1))
        self.assertIn("no program feedrate", result.stderr)


if __name__ == "__main__":
    if not REAL_PROGRAM:
        print("not run: RealProgram, since FEEDRATE_REAL_PROGRAM is not set")
    unittest.main()
