# SPDX-License-Identifier: Apache-2.0
"""Training scripts under the hook of python/feedrate, with a socket instead of `feedrate run`."""
from __future__ import annotations

import itertools
import json
import multiprocessing
import os
import pathlib
import re
import shutil
import socket
import statistics
import subprocess
import sys
import tempfile
import textwrap
import threading
import time
import types
import unittest
import unittest.mock
from collections.abc import Iterator
from typing import Any, NamedTuple, Optional

ROOT = pathlib.Path(__file__).resolve().parents[2]
HOOK = ROOT / "python" / "feedrate" / "hook"
sys.path.insert(0, str(ROOT / "python"))

import torch

from feedrate import copies, marks, session

Result = subprocess.CompletedProcess  # of text

SCRIPT_BEGIN = """
import os, signal, sys, time
import torch
from torch.utils.data import DataLoader, Dataset, IterableDataset

class Sleeping(Dataset):
    def __init__(self, length, seconds=0.0):
        self.length, self.seconds = length, seconds
    def __len__(self):
        return self.length
    def __getitem__(self, index):
        time.sleep(self.seconds)
        return torch.full((3,), float(index))
"""


class Answer(NamedTuple):
    at: int  # the value of "samples" in the row of marks that triggers it
    lines: bytes


class Program:
    """Listens like `feedrate run`. Closes each connection after `most` lines."""

    def __init__(self, folder: pathlib.Path, most: Optional[int] = None) -> None:
        self.path = folder / "socket"
        self._last = str(folder / "last")
        self.connections: list[list[dict[str, Any]]] = []
        self.answer: Optional[Answer] = None
        self._most = most
        self._listener = socket.socket(socket.AF_UNIX)
        self._listener.bind(str(self.path))
        self._listener.listen()
        self._readers: list[threading.Thread] = []
        self._acceptor = threading.Thread(target=self._accept, daemon=True)
        self._acceptor.start()

    def close(self) -> None:
        """Returns once everything that was sent has been read."""
        with socket.socket(socket.AF_UNIX) as last:
            last.bind(self._last)
            last.connect(str(self.path))
            self._acceptor.join()
        self._listener.close()
        for reader in self._readers:
            reader.join()

    def _accept(self) -> None:
        while True:
            connection, address = self._listener.accept()
            if address == self._last:
                connection.close()
                return
            self.connections.append([])
            reader = threading.Thread(target=self._read, args=(connection, self.connections[-1]))
            self._readers.append(reader)
            reader.start()

    def _read(self, connection: socket.socket, lines: list[dict[str, Any]]) -> None:
        with connection, connection.makefile() as text:
            for line in text:
                lines.append(json.loads(line))
                if self.answer and lines[-1]["event"] == "marks" and self.answer.at in lines[-1]["rows"][4::6]:
                    connection.sendall(self.answer.lines)
                    self.answer = None
                if len(lines) == self._most:
                    return


class Watched:
    """The result of a script, and the messages that it sent."""

    def __init__(self, result: Result, connections: list[list[dict[str, Any]]], left: list[str]) -> None:
        self.result = result
        self.connections = connections
        self.left = left

    def rows(self, event: str, width: int) -> list[tuple[int, ...]]:
        flat = [number for line in self.of(event) for number in line["rows"]]
        return list(zip(*[iter(flat)] * width))

    def of(self, event: str) -> list[dict[str, Any]]:
        return [line for lines in self.connections for line in lines if line["event"] == event]

    def steps(self, loader: int, epoch: int = 0) -> list[tuple[int, ...]]:
        """(t0, t1, samples, cpu) of each row."""
        return [row[2:] for row in self.rows("marks", 6) if row[:2] == (loader, epoch)]


class Scripts(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def start(self, script: str, path: Optional[pathlib.Path], **environment: str) -> Result:
        (self.folder / "train.py").write_text(script)
        paths = ([str(HOOK)] if path else []) + [environment.pop("also", "")]
        usual = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, paths)), "PYTHONDONTWRITEBYTECODE": "1"}
        environment = {**usual, **environment}
        if path:
            environment["FEEDRATE_RUN"] = str(path)
        command = [sys.executable, "train.py", "--epochs", "2"]
        return subprocess.run(command, cwd=self.folder, env=environment, capture_output=True, text=True, timeout=300)

    def watch(
        self, body: str, begin: str = SCRIPT_BEGIN, most: Optional[int] = None, answer: Optional[Answer] = None, **environment: str
    ) -> Watched:
        with tempfile.TemporaryDirectory() as folder:
            program = Program(pathlib.Path(folder), most)
            program.answer = answer
            result = self.start(begin + textwrap.dedent(body), program.path, **environment)
            left = sorted(os.listdir(folder))
            program.close()
        return Watched(result, program.connections, left)


class Shares(Scripts):
    MOST_RUNS = 6

    def test_are_those_of_marks_set_by_hand(self) -> None:
        """A machine that takes the CPU between the script's mark and feedrate's disturbs single runs; an error disturbs all of them."""
        least: dict[tuple[float, int], float] = {}
        for _ in range(self.MOST_RUNS):
            for case, difference in self.differences().items():
                least[case] = min(difference, least.get(case, 1.0))
            if max(least.values()) <= 0.01:
                return
        self.fail(f"more than 1 point off in each of {self.MOST_RUNS} runs: {least}")

    def differences(self) -> dict[tuple[float, int], float]:
        """(seconds of loading, workers) -> difference of feedrate's share from that of the script's own marks."""
        watched = self.watch(
            """
            import json
            batches = 16
            for load, train in ((0.035, 0.030), (0.005, 0.030), (0.030, 0.005)):
                for workers in (0, 1, 2):
                    iterator = iter(DataLoader(Sleeping(batches, load), num_workers=workers))
                    asked, loaded = [], []
                    for batch in range(batches + 1):
                        asked.append(time.monotonic_ns())
                        next(iterator, None)
                        loaded.append(time.monotonic_ns())
                        time.sleep(train)
                    print(json.dumps([asked, loaded, load, workers]))
            """
        )
        self.assertEqual((watched.result.returncode, watched.result.stderr), (0, ""))
        lines = [json.loads(line) for line in watched.result.stdout.splitlines()]
        self.assertEqual(len(watched.of("loader")), len(lines))
        differences = {}
        for loader, (asked, loaded, load, workers) in enumerate(lines):
            rows = watched.steps(loader)
            self.assertEqual([row[2] for row in rows], [marks.BEGUN] + [1] * 16 + [marks.ENDED])
            for row, before, after in zip(rows[1:], asked, loaded):
                self.assertTrue(before <= row[0] <= row[1] <= after)
            measured = self.share([row[0] for row in rows[1:]], [row[1] for row in rows[1:]], workers)
            differences[load, workers] = abs(measured - self.share(asked, loaded, workers))
            fetches = [row for row in watched.rows("fetches", 4) if row[0] == loader]
            self.assertEqual({row[1] for row in fetches}, set(range(workers)))
            self.assertEqual(len(fetches), 16 if workers else 0)
            for _, _, wall, cpu in fetches:
                self.assertGreaterEqual(wall, load * 1e9)
                self.assertLess(cpu, wall)
            self.assertTrue(all(row[3] == -1 if workers else 0 < row[3] < row[1] - row[0] for row in rows[1:-1]))
        return differences

    @staticmethod
    def share(asked: list[int], loaded: list[int], workers: int) -> float:
        """The share of loading: medians over whole turns of the workers, without the first batches."""

        def median(spans: list[int]) -> float:
            turn = max(workers, 1)
            return statistics.median(sum(spans[begin : begin + turn]) for begin in range(0, len(spans), turn))

        loading = median([end - begin for begin, end in zip(asked[2:-1], loaded[2:-1])])
        return loading / (loading + median([end - begin for begin, end in zip(loaded[2:-1], asked[3:])]))

    def test_cost_few_microseconds_a_step(self) -> None:
        batch, steps, session = [torch.zeros(8, 2), torch.zeros(8)], 5000, UnsentSession()

        def cost(watched: bool) -> float:
            iterator = iter([batch] * steps)
            if watched:
                iterator = session.watching(iterator)
            begin = time.thread_time_ns()
            for _ in iterator:
                pass
            return (time.thread_time_ns() - begin) / steps

        costs = [(cost(True), cost(False)) for _ in range(20)]
        self.assertTrue(session.is_on)
        self.assertLess(min(watched - untouched for watched, untouched in costs), 5000)

    def test_time_the_cpu_in_the_first_steps_and_then_in_one_of_sixteen(self) -> None:
        session = UnsentSession()
        for _ in session.watching(iter([torch.zeros(8)] * 100)):
            pass
        timed = [step for step, row in enumerate(session.marks) if row[4] == 8 and row[5] >= 0]
        self.assertEqual(timed, [*range(16), *range(16, 100, 16)])

    def test_count_a_preemption_at_the_cpu_clock_in_the_phase_in_which_the_slice_ended(self) -> None:
        session = UnsentSession()
        now = itertools.count(0, 1000)
        clock = types.SimpleNamespace(monotonic_ns=lambda: next(now), thread_time_ns=lambda: next(itertools.islice(now, 4, None)))
        with unittest.mock.patch.object(marks, "time", clock):
            for _ in session.watching(iter([torch.zeros(8)] * 3)):
                pass
        loading = {loaded - asked for _, _, asked, loaded, samples, _ in session.marks if samples == 8}
        self.assertEqual(loading, {6000}, "the slice of 5000 before the load, not the one after it")


class UnsentSession:
    """Keeps the marks of a watched iterator."""

    def __init__(self) -> None:
        self.marks, self.is_on, self.is_to_stop, self.current = marks.Rows(), True, False, None

    def watching(self, iterator: Iterator[Any]) -> Iterator[Any]:
        loader = types.SimpleNamespace(
            number=0, epochs=0, loads_itself=True, copies=None, samples=marks.first_dimension, post_copies=lambda _: None
        )
        return marks.WatchedIterator(marks.Epoch(self, loader, marks.GpuSpans(torch.cuda, marks.Rows(), 0, 0)), iterator)

    def fail(self) -> None:
        self.is_on = False


class Messages(Scripts):
    def test_distinguish_the_loaders(self) -> None:
        watched = self.watch(
            """
            class Mine(DataLoader):
                def __init__(self, length, **named):
                    super().__init__(Sleeping(length), **named)
            print("to" in vars(torch.Tensor))
            train = Mine(100, batch_size=4, num_workers=2, persistent_workers=True, shuffle=True)
            valid = DataLoader(Sleeping(10), 4, collate_fn=lambda samples: {"x": torch.stack(samples)})
            for epoch in range(2):
                for step, batch in enumerate(train):
                    batch = batch.to("meta", non_blocking=True)
                    batch.to("meta")
                for batch in valid:
                    pass
            print("to" in vars(torch.Tensor))
            for _ in zip(valid, valid):
                break
            """,
            RANK="3", LOCAL_RANK="1", WORLD_SIZE="8", OMP_NUM_THREADS="1",
        )  # fmt: skip
        self.assertEqual((watched.result.returncode, watched.result.stderr), (0, ""))
        self.assertEqual(watched.result.stdout, "False\nFalse\n")
        self.assertEqual(watched.left, ["socket"])
        events = [line["event"] for line in watched.connections[0]]
        self.assertEqual((events[0], events[-1], len(watched.connections)), ("hello", "end", 1))
        hello = watched.connections[0][0]
        self.assertEqual((hello["rank"], hello["local_rank"], hello["world_size"]), (3, 1, 8))
        self.assertEqual((hello["argv"], hello["torch"]), (["train.py", "--epochs", "2"], torch.__version__))
        self.assertEqual(hello["cpus"], len(os.sched_getaffinity(0)))
        train, valid = watched.of("loader")
        line = (SCRIPT_BEGIN.count("\n")) + 6
        self.assertEqual(train["site"], f"{self.folder}/train.py:{line}")
        self.assertEqual(valid["site"], f"{self.folder}/train.py:{line + 1}")
        self.assertEqual((train["class"], train["dataset"], train["sampler"]), ("Mine", "Sleeping", "RandomSampler"))
        self.assertEqual(
            train["given"], {"length": 100, "batch_size": 4, "num_workers": 2, "persistent_workers": True, "shuffle": True}
        )
        self.assertEqual(valid["given"], {"dataset": "<Sleeping>", "batch_size": 4, "collate_fn": "<function>"})
        self.assertEqual((train["length"], valid["length"]), (25, 3))
        method = multiprocessing.get_all_start_methods()[0]
        self.assertEqual((train["settings"]["num_workers"], train["settings"]["start_method"]), (2, method))
        samples = [row[2] for row in watched.steps(valid["loader"], 1)]
        self.assertEqual(samples, [marks.BEGUN, 4, 4, 2, marks.ENDED])
        self.assertEqual({row[1] for row in watched.rows("marks", 6) if row[0] == valid["loader"]}, {0, 1, 2, 3})
        self.assertEqual(len(watched.steps(train["loader"], 1)), 27)
        ends = [row[3] for row in watched.rows("marks", 6)]
        self.assertEqual(ends, sorted(ends))
        self.assertEqual(len([row for row in watched.rows("fetches", 4) if row[0] == train["loader"]]), 50)
        (noted,) = [line["copies"] for line in watched.of("copies") if line["loader"] == train["loader"]]
        site = f"{self.folder}/train.py:"
        self.assertEqual(
            noted,
            [{"site": f"{site}{line + 4}", "pinned": False, "non_blocking": True, "calls": 20, "bytes": 960}],
        )  # the second call starts on meta

    def test_come_from_spawned_workers_and_forked_scripts(self) -> None:
        watched = self.watch(
            """
            def main():
                for _ in DataLoader(Sleeping(6), 2, num_workers=1, multiprocessing_context="spawn"):
                    pass
                if os.fork() == 0:
                    for _ in DataLoader(Sleeping(4)):
                        pass
                    sys.exit(7)
                print(os.wait()[1] >> 8)
                process = torch.multiprocessing.get_context("fork").Process(target=ended_by_multiprocessing)
                process.start()
                process.join()
                for _ in DataLoader(Sleeping(6)):
                    pass

            def ended_by_multiprocessing():
                for _ in DataLoader(Sleeping(2)):
                    pass

            if __name__ == "__main__":
                main()
            """
        )
        self.assertEqual((watched.result.returncode, watched.result.stdout, watched.result.stderr), (0, "7\n", ""))
        self.assertEqual(watched.left, ["socket"])
        self.assertEqual([lines[-1]["event"] for lines in watched.connections], ["end"] * 3)
        self.assertEqual(len({lines[0]["process"] for lines in watched.connections}), 3)
        spawned = watched.rows("fetches", 4)
        self.assertEqual([row[:2] for row in spawned], [(0, 0)] * 3)
        per_process = [sum(len(line["rows"]) // 6 for line in lines if line["event"] == "marks") for lines in watched.connections]
        self.assertEqual(per_process, [3 + 2 + 6 + 2, 4 + 2, 2 + 2])

    def test_reach_the_script_and_its_tuning(self) -> None:
        watched = self.watch(
            """
            loader = DataLoader(range(80), 4)
            iterator = iter(loader)
            print(len(iterator), [batch.tolist() for batch in iterator][:2], iterator.settings.num_workers)
            for epoch in range(1000):
                iterator = iter(loader)
                has_workers = iterator.settings.num_workers  # the worker count is known at its first batch
                assert [number for batch in iterator for number in batch.tolist()] == list(range(80))
                if has_workers:
                    break
                time.sleep(0.05)
            print(iterator.settings.num_workers)
            """,
            answer=Answer(
                marks.ENDED, b'{"event":"other"}\n{"event":"switch","loader":0,"request":7,"at":0,"settings":{"num_workers":1}}\n'
            ),
            FEEDRATE_TUNE="1",
        )
        self.assertEqual(watched.result.stderr, "")
        self.assertEqual(watched.result.stdout, "20 [[0, 1, 2, 3], [4, 5, 6, 7]] 0\n1\n")
        self.assertEqual([(line["loader"], line["tune"]) for line in watched.of("loader")], [(0, None)])
        self.assertEqual([row for row in watched.rows("marks", 6) if row[4] < marks.ENDED], [(0, 0, 0, 0, -3, 7)])
        self.assertEqual({row[:2] for row in watched.rows("fetches", 4)}, {(0, 0)})

    def test_stop_its_main_thread_at_a_batch_and_no_other(self) -> None:
        watched = self.watch(
            """
            import threading
            from feedrate import patch

            loader = DataLoader(Sleeping(10**6, 0.001), num_workers=1)
            first = iter(loader)
            next(first)

            def load():
                while not patch._session.is_to_stop:
                    next(first)
                print(len(next(first)))

            other = threading.Thread(target=load)
            other.start()
            other.join()
            try:
                next(first)
            finally:
                print("orderly")
            """,
            answer=Answer(1, b'{"event":"stop"}\n'),
        )
        self.assertEqual((watched.result.returncode, watched.result.stderr), (0, ""))
        self.assertEqual(watched.result.stdout, "1\norderly\n")
        self.assertEqual(len(watched.of("end")), 1)

    def test_have_the_marks_of_the_api_and_all_loaders(self) -> None:
        watched = self.watch(
            """
            plain, tuned = DataLoader(Sleeping(8), 2), DataLoader(Sleeping(6), 2)
            print(feedrate.tune(tuned, budget=0.2) is tuned, feedrate.recommendation(tuned))
            print(len(list(plain)), len(list(tuned)))
            """,
            "import feedrate\n" + SCRIPT_BEGIN,
        )
        self.assertEqual((watched.result.stdout, watched.result.stderr), ("True None\n4 3\n", ""))
        self.assertEqual([(line["length"], line["tune"]) for line in watched.of("loader")], [(4, None), (3, 0.2)])
        self.assertEqual({line["site"] for line in watched.of("loader")}, {f"{self.folder}/train.py:{SCRIPT_BEGIN.count(chr(10)) + 3}"})

    def test_leave_the_iterator_what_it_is(self) -> None:
        watched = self.watch(
            """
            iterator = iter(DataLoader(Sleeping(8), 2, num_workers=1))
            print(len(iterator), len(iterator._workers), isinstance(iterator, torch.utils.data.dataloader._BaseDataLoaderIter))
            print([len(batch) for batch in iterator], iterator._num_yielded)
            """
        )
        self.assertEqual((watched.result.stdout, watched.result.stderr), ("4 1 True\n[2, 2, 2, 2] 4\n", ""))

    def test_request_settings_from_a_batch_on_and_for_a_replaced_loader(self) -> None:
        settings = {"num_workers": 1, "prefetch_factor": 2, "pin_memory": False, "persistent_workers": False, "in_order": True}
        request = {"event": "switch", "loader": 0, "request": 7, "at": 300, "settings": settings}
        watched = self.watch(
            """
            from feedrate import patch

            def make_loader(length):
                return DataLoader(Sleeping(length), 1)
            for length in 400, 20, 400:
                for step, batch in enumerate(make_loader(length)):
                    while step == 250 and not patch._asked:
                        time.sleep(0.01)
                    time.sleep(0.004)
            """,
            answer=Answer(1, json.dumps(request).encode() + b"\n"),
            FEEDRATE_TUNE="1",
        )
        self.assertEqual(watched.result.stderr, "")
        rows = watched.rows("marks", 6)
        switched = {row[0]: index for index, row in enumerate(rows) if row[4:] == (-3, 7)}
        self.assertEqual(set(switched), {0, 1, 2})  # although one has another length, because all are made at the same line
        self.assertEqual({line["group"] for line in watched.of("loader")}, {0})
        batches = [sum(row[0] == loader and row[4] > 0 for row in rows[: switched[loader]]) for loader in (0, 2)]
        self.assertGreaterEqual(batches[0], 300)
        self.assertLess(batches[1], 100)

    def test_send_the_bytes_of_the_largest_batch(self) -> None:
        watched = self.watch(
            """
            batches = [{"x": torch.zeros(4, 2), "y": [torch.zeros(3, dtype=torch.int64)], "z": "text"}, {"x": torch.zeros(1)}]
            list(DataLoader(batches, batch_size=None))
            """
        )
        self.assertEqual([line["batch_bytes"] for line in watched.of("copies")], [4 * 2 * 4 + 3 * 8])


# A package in the shape of torchdata: its loader has its own __iter__ and its own worker loop.
STATEFUL = {
    "__init__": "from .stateful_dataloader import StatefulDataLoader",
    "stateful_dataloader": """
from unittest import mock
from torch.utils.data import DataLoader
from torch.utils.data._utils import worker as usual
from .worker import _worker_loop

class StatefulDataLoader(DataLoader):
    def __iter__(self):
        with mock.patch.object(usual, "_worker_loop", _worker_loop):
            return self._get_iterator()
    def state_dict(self):
        return {}
""",
    "worker": """
from torch.utils.data._utils.worker import _worker_loop as usual
usual = getattr(usual, "__wrapped__", usual)

def _worker_loop(*arguments):
    usual(*arguments)
""",
}


class Frameworks(Scripts):
    def test_that_make_a_loader_from_the_users_have_its_line(self) -> None:
        watched = self.watch(
            """
            accelerate = type(sys)("accelerate")
            exec("def prepare(loader):\\n    return type(loader)(loader.dataset, batch_sampler=loader.batch_sampler, timeout=0)", vars(accelerate))
            mine = DataLoader(Sleeping(8), 2, shuffle=True)
            for batch in accelerate.prepare(mine):
                pass
            for batch in accelerate.prepare(DataLoader(Sleeping(4), 2)):
                pass
            exec("def make(dataset, loader_class):\\n    return loader_class(dataset, 2, timeout=0, sampler=None)", vars(accelerate))
            for batch in accelerate.make(Sleeping(4), DataLoader):
                pass
            """
        )
        self.assertEqual((watched.result.returncode, watched.result.stderr), (0, ""))
        line = SCRIPT_BEGIN.count("\n") + 4
        described = [(loader["site"].split(":")[-1], loader["given"]) for loader in watched.of("loader")]
        self.assertEqual(described[0], (str(line), {"dataset": "<Sleeping>", "batch_size": 2, "shuffle": True}))
        self.assertEqual(described[1], (str(line + 3), {"dataset": "<Sleeping>", "batch_size": 2}))
        self.assertEqual(described[2], (str(line + 6), {"dataset": "<Sleeping>", "batch_size": 2}), "without what is the default")

    def test_that_name_the_cells_of_a_notebook(self) -> None:
        watched = self.watch(
            """
            class Shell:
                def __init__(self):
                    self.compile = self
                def format_code_name(self, name):
                    return ("Cell", "In[3]") if name == "/tmp/ipykernel_1/7.py" else None
            get_ipython = Shell
            exec(compile("\\nloader = DataLoader(Sleeping(2))", "/tmp/ipykernel_1/7.py", "exec"))
            for loader in loader, DataLoader(Sleeping(3)):
                list(loader)
            """
        )
        self.assertEqual((watched.result.returncode, watched.result.stderr), (0, ""))
        line = SCRIPT_BEGIN.count("\n") + 9
        self.assertEqual([loader["site"] for loader in watched.of("loader")], ["In[3]:2", f"{self.folder}/train.py:{line}"])

    def test_that_ask_for_an_iterator_themselves_are_watched_once(self) -> None:
        watched = self.watch(
            """
            class Lasting(DataLoader):
                iterator = None
                def __iter__(self):
                    self.iterator = self.iterator or self._get_iterator()
                    for _ in range(3):
                        yield next(self.iterator)
            for batch in Lasting(Sleeping(6), num_workers=1):
                pass
            for batch in DataLoader(Sleeping(3), num_workers=1, persistent_workers=True):
                pass
            """
        )
        self.assertEqual((watched.result.returncode, watched.result.stderr), (0, ""))
        self.assertEqual([row[2] for row in watched.steps(0)], [marks.BEGUN, 1, 1, 1, marks.LEFT])
        self.assertEqual([row[2] for row in watched.steps(1)], [marks.BEGUN, 1, 1, 1, marks.ENDED])

    def test_that_have_an_iter_and_workers_of_their_own_are_watched(self) -> None:
        package = self.folder / "torchdata" / "stateful_dataloader"
        package.mkdir(parents=True)
        (package.parent / "__init__.py").touch()  # so that it takes precedence over an installed one
        for name, text in STATEFUL.items():
            (package / f"{name}.py").write_text(text)
        watched = self.watch(
            """
            def main():
                from torchdata.stateful_dataloader import StatefulDataLoader
                for method in ("fork", "spawn"):
                    for batch in StatefulDataLoader(Sleeping(3), num_workers=1, multiprocessing_context=method):
                        pass

            if __name__ == "__main__":
                main()
            """,
            FEEDRATE_TUNE="1",
        )
        self.assertEqual((watched.result.returncode, watched.result.stderr), (0, ""))
        for loader in watched.of("loader"):
            self.assertEqual([row[2] for row in watched.steps(loader["loader"])], [marks.BEGUN, 1, 1, 1, marks.ENDED])
            self.assertEqual(loader["fixed"], "StatefulDataLoader has a state_dict of the place within an epoch.")
        self.assertEqual([row[:2] for row in watched.rows("fetches", 4)], [(0, 0)] * 3 + [(1, 0)] * 3)


# Each case runs in a child that the script forks, so that torch is imported once; the child ends as a script would.
CASES = """
def plain():
    torch.manual_seed(1)
    order = [batch.flatten().tolist() for batch in DataLoader(Sleeping(7), 2, shuffle=True, num_workers=2)]
    print(order, torch.rand(2).tolist())

def exit_code():
    for _ in DataLoader(Sleeping(3)):
        sys.exit(3)

def raises():
    for batch in DataLoader(Sleeping(3)):
        raise ValueError("of the training")

class Broken(Sleeping):
    def __getitem__(self, index):
        raise LookupError("of the dataset")

def raises_inline():
    for batch in DataLoader(Broken(3)):
        pass

def raises_in_worker():
    for batch in DataLoader(Broken(3), num_workers=1):
        pass

class Failing:
    def __init__(self, at_once):
        self.at_once, self.asked = at_once, 0
    def __iter__(self):
        self.asked += 1
        torch.rand(1)
        return self.fail() if self.at_once else self.batches()
    def batches(self):
        yield self.fail()
    def fail(self):
        raise LookupError(f"of the sampler, {torch.rand(1)}")

def raises_in_sampler():
    sys.unraisablehook = lambda _: None  # a half-made iterator of PyTorch lacks an attribute when it is freed
    for workers in (0, 1):
        for at_once in (True, False):
            torch.manual_seed(3)
            sampler = Failing(at_once)
            try:
                for batch in DataLoader(Sleeping(3), batch_sampler=sampler, num_workers=workers):
                    pass
            except LookupError as error:
                print(error, sampler.asked, torch.rand(2))

def wrong_argument():
    DataLoader(Sleeping(3), num_workers=-1)

def exits_at_once():
    for batch in DataLoader(Sleeping(3)):
        print("batch", flush=True)
        os._exit(5)

def interrupted():
    for batch in DataLoader(Sleeping(3)):
        signal.raise_signal(signal.SIGINT)

class Interrupting(Sleeping):
    def __getitem__(self, index):
        signal.raise_signal(signal.SIGINT)

def interrupted_in_next():
    for batch in DataLoader(Interrupting(3)):
        pass

class Stuck(Sleeping):
    def __getitem__(self, index):
        return super().__getitem__(index) if index == 0 else time.sleep(60)

def worker_killed():
    import re
    iterator = iter(DataLoader(Stuck(50), num_workers=1))
    next(iterator)
    try:
        os.kill(iterator._workers[0].pid, signal.SIGKILL)
        for batch in iterator:
            pass
    except RuntimeError as error:  # the cause may have the text: that depends on where PyTorch notices
        print(re.search("is killed by signal: Killed", f"{error} {error.__cause__}")[0])
        sys.exit(1)

def sigpipe():
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)
    for batch in DataLoader(Sleeping(30, 0.03)):
        pass
    print("done")

class Stream(IterableDataset):
    def __iter__(self):
        return iter([1.0, 2.0, 3.0])
    def __len__(self):
        return 2

def warns():
    loader = DataLoader(Stream())
    print(len(loader))
    for batch in loader:
        print(batch)

class Infinite(DataLoader):
    def __init__(self, *arguments, **named):
        super().__init__(*arguments, **named)
        self.iterator = super().__iter__()
    def __iter__(self):
        while True:
            try:
                yield next(self.iterator)
            except StopIteration:
                self.iterator = super().__iter__()

def infinite():
    import inspect
    loader = Infinite(Sleeping(3), num_workers=1, persistent_workers=True)
    for step, batch in enumerate(loader):
        if step == 7:
            break
    print(batch.tolist(), inspect.signature(DataLoader), inspect.signature(Infinite), inspect.signature(DataLoader.__init__))
    import copy, pickle
    copied = pickle.loads(pickle.dumps(copy.copy(DataLoader(Sleeping(3), 2))))
    print([batch.tolist() for batch in copied])

def abandoned():
    loader = DataLoader(Sleeping(9), num_workers=2)
    iterator = iter(loader)
    workers = iterator._workers
    next(iterator)
    del iterator
    print([worker.is_alive() for worker in workers], list(iter(DataLoader(Sleeping(2)))))

import json
results = {}
for name in os.environ["CASES"].split():
    output = os.open(name, os.O_RDWR | os.O_CREAT | os.O_TRUNC)
    if os.fork() == 0:
        os.dup2(output, 1)
        os.dup2(output, 2)
        code = 0
        try:
            globals()[name]()
        except SystemExit as exit:
            code = exit.code
        except BaseException:
            sys.excepthook(*sys.exc_info())
            code = 1
        atexit._run_exitfuncs()
        sys.stdout.flush()
        os._exit(code)  # skips the interpreter's shutdown, which is slow in a forked child
    status = os.wait()[1] >> 8
    results[name] = [status, os.pread(output, 1 << 20, 0).decode()]
print(json.dumps(results))
"""
CASES_BEGIN = """
import atexit, threading
atexit.register(lambda: print([thread.name for thread in threading.enumerate() if thread.name != "QueueFeederThread"]))
"""
ALL = re.findall(r"^def (\w+)\(\):", CASES, re.M)
TUNED = ["plain", "exit_code", "raises_in_sampler", "infinite", "warns"]  # those whose tracebacks are not shown
FEW = ["plain", "raises", "exits_at_once", "worker_killed", "sigpipe", "infinite"]


class Same(Scripts):
    """Output, tracebacks and exit codes equal those without feedrate."""

    def results(self, result: Result) -> dict[str, list[Any]]:
        """Removes process numbers and addresses, and feedrate's frame in the traceback of a worker."""
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        text, threads = result.stdout.splitlines()
        self.assertEqual(threads, "['MainThread']")
        results = json.loads(text)
        for result in results.values():
            result[1] = re.sub(r"  File .*/feedrate/fetches.py.*\n    .*\n( *\^+\n)?", "", result[1])
            result[1] = re.sub(r"pid\(?s?\)? ?[\d, ]+|0x\w+", "…", result[1])
        return results

    def watch_cases(self, cases: list[str], most: Optional[int] = None, **environment: str) -> Watched:
        return self.watch(CASES, CASES_BEGIN + SCRIPT_BEGIN, most, CASES=" ".join(cases), **environment)

    def test_whatever_becomes_of_the_socket(self) -> None:
        self.maxDiff = None
        script = CASES_BEGIN + SCRIPT_BEGIN + CASES
        untouched = self.results(self.start(script, None, CASES=" ".join(ALL)))
        expected = {"plain": (0, "[["), "exit_code": (3, ""), "raises_inline": (1, "LookupError: of the dataset"),
                    "raises_in_worker": (1, "in DataLoader worker process 0"), "exits_at_once": (5, "batch"),
                    "interrupted": (1, "KeyboardInterrupt"), "worker_killed": (1, "is killed by signal: Killed"),
                    "warns": (0, "UserWarning: Length of IterableDataset")}  # fmt: skip
        for name, (status, output) in expected.items():
            self.assertEqual(untouched[name][0], status)
            self.assertIn(output, untouched[name][1])
        watched = self.watch_cases(ALL)
        self.assertEqual(self.results(watched.result), untouched)
        self.assertGreater(len(watched.rows("marks", 6)), 50)
        tuned = self.results(self.watch_cases(TUNED, FEEDRATE_TUNE="1").result)
        self.assertEqual(tuned, {name: untouched[name] for name in TUNED})
        few = {name: untouched[name] for name in FEW}
        self.assertEqual(self.results(self.watch_cases(FEW, most=2).result), few)  # the program dies during the run
        self.assertEqual(self.results(self.start(script, self.folder / "absent", CASES=" ".join(FEW))), few)

    def test_at_an_interrupt_of_a_whole_script(self) -> None:
        script = SCRIPT_BEGIN + "for batch in DataLoader(Sleeping(5), num_workers=1):\n    signal.raise_signal(signal.SIGINT)\n"
        untouched, watched = self.start(script, None), self.watch(script, "")
        self.assertEqual(untouched.returncode, -2)
        self.assertEqual((watched.result.returncode, watched.result.stderr), (untouched.returncode, untouched.stderr))
        self.assertEqual((watched.left, watched.of("end")), (["socket"], [{"event": "end"}]))


class Start(Scripts):
    def test_without_torch_changes_nothing(self) -> None:
        script = "import sys; print(sys.path, [name for name in sys.modules if 'feedrate' in name or 'torch' in name])"
        untouched = self.start(script, None, also=str(self.folder))
        watched = self.start(script, self.folder / "absent", also=str(self.folder))
        self.assertEqual((watched.stdout, watched.stderr), (untouched.stdout, untouched.stderr))

    def test_stands_a_feedrate_within_another_one(self) -> None:
        other = shutil.copytree(HOOK.parent, self.folder / "other" / "feedrate") / "hook"
        script = SCRIPT_BEGIN + "print([batch.tolist() for batch in DataLoader(Sleeping(2))])"
        for also in (str(other), os.pathsep.join([str(other), str(HOOK)])):
            result = self.start(script, self.folder / "absent", also=also)
            self.assertEqual((result.stdout, result.stderr), ("[[[0.0, 0.0, 0.0]], [[1.0, 1.0, 1.0]]]\n", ""))

    def test_runs_the_sitecustomize_of_the_user(self) -> None:
        script = "import sys; print(sys.argv[1:])"
        for theirs in ("print('theirs', __name__, __file__)", "raise ValueError('theirs')", "import absent_module"):
            (self.folder / "sitecustomize.py").write_text(theirs)
            untouched = self.start(script, None, also=str(self.folder))
            watched = self.start(script, self.folder / "absent", also=str(self.folder))
            self.assertIn("theirs" if "theirs" in theirs else "absent_module", untouched.stdout + untouched.stderr)
            self.assertEqual((watched.stdout, watched.stderr), (untouched.stdout, untouched.stderr))


class Stream:
    """A GPU's stream: `host` is the clock in ms; work begins once it is queued and the previous work has ended."""

    def __init__(self) -> None:
        self.host = self.free_at = 0.0
        self.is_initialized = lambda: True
        self.events = 0

    def work(self, took: float) -> None:
        self.free_at = max(self.free_at, self.host) + took

    def Event(self, enable_timing: bool) -> Event:
        self.events += 1
        return Event(self)


class Event:
    def __init__(self, stream: Stream) -> None:
        self.stream = stream
        self.at = 0.0

    def record(self) -> None:
        self.at = max(self.stream.host, self.stream.free_at)

    def query(self) -> bool:
        return self.at <= self.stream.host

    def elapsed_time(self, later: Event) -> float:
        return later.at - self.at


class Gpu(unittest.TestCase):
    def run_steps(self, stream: Stream, loading: float, launching: float, computing: float, steps: int) -> list[tuple[int, ...]]:
        rows = marks.Rows()
        spans = marks.GpuSpans(stream, rows, 5, 2)
        for _ in range(steps):
            spans.step_is_queued()
            stream.host += loading
            spans.batch_is_there()
            stream.work(computing)
            stream.host += launching
        spans.step_is_queued()
        stream.host = max(stream.host, stream.free_at)
        spans.read()
        return list(rows)

    def test_idles_where_loading_is_slower(self) -> None:
        rows = self.run_steps(Stream(), loading=35, launching=1, computing=30, steps=40)
        self.assertEqual(rows, [(5, 2, step, 6_000_000 if step else -1, 30_000_000) for step in range(40)])

    def test_hides_the_loading_of_a_host_that_runs_ahead(self) -> None:
        stream = Stream()
        rows = self.run_steps(stream, loading=5, launching=1, computing=30, steps=40)
        self.assertEqual({row[3] for row in rows[1:]}, {0})
        self.assertEqual({row[4] for row in rows}, {30_000_000})
        self.assertLess(stream.events, 100)

    def test_omits_steps_without_events(self) -> None:
        stream = Stream()
        rows = self.run_steps(stream, loading=0, launching=0, computing=30, steps=200)  # no event passes before the end
        self.assertEqual([row[2] for row in rows], list(range(64)))

    def test_waits_for_cuda_to_be_initialized(self) -> None:
        stream = Stream()
        stream.is_initialized = lambda: False
        self.assertEqual(self.run_steps(stream, 1, 1, 1, 3), [])
        self.assertEqual(stream.events, 0)


class Rows(unittest.TestCase):
    def test_of_several_threads_are_taken_once_and_in_order(self) -> None:
        rows, count = marks.Rows(), 20_000
        self.addCleanup(sys.setswitchinterval, sys.getswitchinterval())
        sys.setswitchinterval(1e-6)
        writers = [threading.Thread(target=lambda at=at: [rows.append((at, row)) for row in range(count)]) for at in range(3)]
        for writer in writers:
            writer.start()
        taken: list[tuple[int, ...]] = []
        while any(writer.is_alive() for writer in writers) or rows:
            taken += session._take(rows)
        for at in range(3):
            self.assertEqual([row for writer, row in taken if writer == at], list(range(count)))

    def test_that_are_cleared_concurrently_end_the_loop(self) -> None:
        class Cleared(marks.Rows):
            def popleft(self) -> tuple[int, ...]:
                row = super().popleft()
                self.clear()
                return row

        self.assertEqual(session._take(Cleared([(1,), (2,)])), [(1,)])


class Batches(unittest.TestCase):
    def test_have_a_first_dimension(self) -> None:
        x = torch.zeros(5, 2)
        for batch in (x, [x, 1], (x,), {"x": x}, [{"x": x}], x.numpy()):
            self.assertEqual(marks.first_dimension(batch), 5)
        for batch in ("text", ["a", "b"], [], {}, torch.zeros(()), None):
            self.assertEqual(marks.first_dimension(batch), 0)

    def test_are_copied_in_ways_that_are_noted(self) -> None:
        first, second = copies.CopyNotes(torch.Tensor), copies.CopyNotes(torch.Tensor)
        first.step()
        torch.zeros(4).to(torch.device("meta"), torch.float32, True)
        second.step()  # takes over
        torch.zeros(4).to("meta")
        torch.zeros(4).to(torch.float64)
        second.stop()
        self.assertEqual([note["non_blocking"] for note in first.found()], [True])
        self.assertEqual([(note["calls"], note["bytes"]) for note in second.found()], [(1, 16)])
        self.assertNotIn("to", vars(torch.Tensor))


if __name__ == "__main__":
    unittest.main()
