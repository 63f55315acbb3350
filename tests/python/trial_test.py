# SPDX-License-Identifier: Apache-2.0
"""The layers that keep a trial from changing a training: each test shows what happens without its layer."""
from __future__ import annotations

import argparse
import array as array_module
import collections
import concurrent.futures
import functools
import gc
import io
import itertools
import mmap
import multiprocessing
import os
import pathlib
import pickle
import random
import signal
import socket
import sys
import tempfile
import threading
import time
import unittest
import warnings
import weakref
from contextlib import redirect_stdout
from typing import Any, Optional
from unittest import mock

import numpy
import torch
from torch.utils.data import DataLoader, Dataset, RandomSampler

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "python"))

from feedrate import (
    audit,
    cpu_quota,
    fingerprint,
    loaders,
    own_threads,
    private_descriptors,
    sampler_ahead,
    small_tensors,
    snapshot,
    stores,
    switching,
    trial_workers,
    worker_state,
)
from feedrate.switching import LoaderSettings, Refusal, SwitchableLoader


MAIN = os.getpid()


class Numbers(Dataset):
    """A sample is its index."""

    def __len__(self) -> int:
        return 400

    def __getitem__(self, index: int) -> Any:
        return torch.tensor(index)


class Pickled(Numbers):
    pass


def wait_until(holds: Any) -> None:
    end = time.monotonic() + 20
    while not holds() and time.monotonic() < end:
        time.sleep(0.01)


def is_alive(process: int) -> bool:
    try:
        return pathlib.Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


class Played:
    """Iterates `loader`, requests `workers` at its 20th batch, and calls `step` with the number of each batch."""

    def __init__(self, loader: DataLoader, step: Any = lambda number: None, workers: int = 2) -> None:
        self.switchable = SwitchableLoader(loader)
        self.batches: list[Any] = []
        self.used: list[int] = []
        iterator = iter(self.switchable)
        for number, batch in enumerate(iterator):
            if number == 20:
                iterator.switch(LoaderSettings(workers))
            self.batches.append(batch)
            self.used.append(iterator.settings.num_workers)
            if iterator._audit is not None:
                time.sleep(0.05)  # so that the workers begin before the 60th batch
            step(number)
        self.epochs = self.switchable._epochs
        self.failure = iterator.failure

    @property
    def refusal(self) -> str:
        return str(self.epochs.refusal or "")


class Audits(unittest.TestCase):
    def test_batches_reach_the_training_once_two_of_each_worker_were_identical(self) -> None:
        played = Played(DataLoader(Numbers(), 4, shuffle=True, generator=torch.Generator().manual_seed(1)))
        self.assertEqual((played.refusal, played.used[20], played.used[-1]), ("", 0, 2))
        self.assertGreaterEqual(played.epochs.auditor.identical, 4)
        untouched = DataLoader(Numbers(), 4, shuffle=True, generator=torch.Generator().manual_seed(1))
        self.assertEqual([batch.tolist() for batch in played.batches], [batch.tolist() for batch in untouched])

    def test_a_worker_that_loads_something_else(self) -> None:
        class Elsewhere(Numbers):
            def __getitem__(self, index: int) -> Any:
                return torch.tensor(index if os.getpid() == MAIN else -index)

        played = Played(DataLoader(Elsewhere(), 4))
        self.assertIn("batch differs", played.refusal)
        self.assertEqual(torch.cat(played.batches).tolist(), list(range(400)))

    def test_one_worker_that_would_stay_in_step_with_the_training_process(self) -> None:
        """Later workers would differ: the parent's iterator stays where the worker was forked."""

        class Reading(Numbers):
            def __init__(self) -> None:
                self.order = itertools.cycle(range(37))

            def __getitem__(self, index: int) -> Any:
                return torch.tensor(next(self.order))

        played = Played(DataLoader(Reading(), 4), workers=1)
        self.assertIn("batch differs", played.refusal)
        self.assertEqual(torch.cat(played.batches).tolist(), [index % 37 for index in range(400)])

    def test_a_batch_that_differs_later(self) -> None:
        class Later(Numbers):
            def __getitem__(self, index: int) -> Any:
                return torch.tensor(-1 if os.getpid() != MAIN and index > 200 else index)

        with mock.patch.multiple(audit, _EACH=0, _SHARE=1e9):
            played = Played(DataLoader(Later(), 4))
        self.assertIn("batch differs", played.refusal)
        self.assertEqual(torch.cat(played.batches).tolist(), list(range(400)))

    def test_what_a_pickle_loses(self) -> None:
        class Labeled(Numbers):
            def __getitem__(self, index: int) -> Any:
                tensor = torch.tensor(index)
                tensor.label = index
                return tensor

        self.assertIn("label", Played(DataLoader(Labeled(), batch_size=None)).refusal)

    def test_a_worker_that_hangs_costs_the_training_no_wait(self) -> None:
        class Hanging(Numbers):
            def __getitem__(self, index: int) -> Any:
                if os.getpid() != MAIN:
                    time.sleep(600)
                return torch.tensor(index)

        waits: list[float] = []

        def step(number: int) -> None:
            waits.append(time.monotonic())
            time.sleep(0.05 if number > 20 else 0)

        with mock.patch.object(switching, "LEAST_PATIENCE_S", 0.5):
            played = Played(DataLoader(Hanging(), 4), step=step)
        self.assertIn("no batch in time", played.refusal)
        self.assertLess(max(later - earlier for earlier, later in zip(waits, waits[1:])), 5)  # the time that PyTorch waits for its workers

    def test_short_epochs_are_audited_over_several(self) -> None:
        loader = SwitchableLoader(DataLoader(Numbers(), 200))
        for _ in range(4):
            loader.switch(LoaderSettings(2))
            self.assertEqual(torch.cat(list(loader)).tolist(), list(range(400)))
        self.assertEqual((loader._epochs.refusal, loader._epochs.is_audited), (None, True))
        self.assertEqual(iter(loader).settings.num_workers, 2)


class Unnoticed(unittest.TestCase):
    def test_no_warning_of_the_threads_of_a_process_that_forks(self) -> None:
        done = threading.Event()
        self.addCleanup(done.set)
        threading.Thread(target=done.wait, daemon=True).start()
        with warnings.catch_warnings(record=True) as seen:
            warnings.simplefilter("always")
            self.assertEqual(Played(DataLoader(Numbers(), 4)).used[-1], 2)
        self.assertEqual([str(warning.message) for warning in seen], [])

    def test_they_are_forked_although_python_would_start_a_server(self) -> None:
        for settled in (None, "forkserver"):  # the method that workers of another loader have fixed
            methods = {"get_all_start_methods": lambda: ["forkserver", "fork"], "get_start_method": lambda allow_none: settled}
            with mock.patch.multiple(multiprocessing, **methods):
                alone = loaders.description(DataLoader(Numbers()), None)
                own = loaders.description(DataLoader(Numbers(), num_workers=1), None)
            self.assertEqual((alone["context"], alone["settings"]["start_method"], alone["fixed"]), ("fork", "fork", None))
            self.assertEqual((own["context"], own["settings"]["start_method"]), (None, "forkserver"))

    def test_no_child_and_no_handler(self) -> None:
        seen: list[Any] = []
        handler = signal.getsignal(signal.SIGCHLD)

        def step(number: int) -> None:
            if number == 60:
                with self.assertRaises(ChildProcessError):
                    os.waitpid(-1, os.WNOHANG)
                seen.append((multiprocessing.active_children(), signal.getsignal(signal.SIGCHLD)))

        played = Played(DataLoader(Numbers(), 4), step=step)
        self.assertEqual((played.used[-1], seen), (2, [([], handler)]))
        wait_until(lambda: not any(map(is_alive, played.epochs.workers)))

    def test_the_process_is_as_before(self) -> None:
        def state() -> Any:
            gc.collect()
            return (
                signal.getsignal(signal.SIGCHLD),
                sys.unraisablehook,
                sys.excepthook,
                list(warnings.filters),
                torch.multiprocessing.get_sharing_strategy(),
                multiprocessing.get_start_method(allow_none=True),
                torch.utils.data._utils.signal_handling._SIGCHLD_handler_set,
                {thread.name for thread in threading.enumerate() if thread.name != own_threads.NAME},  # excludes threads of earlier tests
                tempfile.tempdir,
                os.sched_getaffinity(0),
                torch.get_num_threads(),
            )

        before, open_files = state(), set(os.listdir("/proc/self/fd"))
        played = Played(DataLoader(Numbers(), 4))
        self.assertEqual(played.used[-1], 2)
        del played
        gc.collect()
        wait_until(lambda: state() == before)
        self.assertEqual(state(), before)
        life = {str(end.number) for end in trial_workers._life or ()}
        self.assertLessEqual(set(os.listdir("/proc/self/fd")) - open_files - life, set())

    def test_a_script_that_handles_sigchld(self) -> None:
        usual = signal.signal(signal.SIGCHLD, lambda *_: None)
        self.addCleanup(signal.signal, signal.SIGCHLD, usual)
        played = Played(DataLoader(Numbers(), 4))
        self.assertEqual(set(played.used), {0})
        self.assertIn("handles SIGCHLD", str(played.failure))

    def test_a_process_that_adopts_orphans(self) -> None:
        with mock.patch.object(trial_workers, "_adopts_orphans", lambda: True):
            self.assertEqual(set(Played(DataLoader(Numbers(), 4)).used), {0})

    def test_the_oom_killer_takes_trial_workers_first(self) -> None:
        scores: list[str] = []

        def step(number: int) -> None:
            if number == 60:
                scores.extend(pathlib.Path(f"/proc/{worker}/oom_score_adj").read_text().strip() for worker in iterator()._epochs.workers)

        iterator = lambda: played_loader._last()  # noqa: E731
        played_loader = SwitchableLoader(DataLoader(Numbers(), 4))
        steps = iter(played_loader)
        for number, _ in enumerate(steps):
            if number == 20:
                steps.switch(LoaderSettings(1))
            step(number)
            time.sleep(0.005)
        self.assertEqual(scores, ["1000"])

    def test_a_loader_with_workers_never_loads_in_the_training_process(self) -> None:
        loader = SwitchableLoader(DataLoader(Numbers(), 4, num_workers=1))
        loader.switch(LoaderSettings(0))
        iterator = iter(loader)
        next(iterator), next(iterator)
        self.assertEqual(iterator.settings.num_workers, 1)
        self.assertIn("later workers inherit", str(iterator.failure))
        iterator.close()


    def test_the_end_of_a_worker_is_not_read_from_another_file(self) -> None:
        """A garbage collection can close the pipe before PyTorch asks whether the worker is alive."""
        loader = SwitchableLoader(DataLoader(Numbers(), 4, num_workers=1))
        iterator = iter(loader)
        next(iterator)
        iterator.switch(LoaderSettings(2))
        while iterator.settings.num_workers == 1 or iterator.outstanding:
            next(iterator)
        popen = iterator._inner.iterator._workers[0]._popen
        with tempfile.TemporaryFile() as file:
            file.write(b"its content")
            file.seek(0)
            popen.close()
            os.dup2(file.fileno(), popen.sentinel)
            self.assertIsNotNone(popen.poll())
            self.assertEqual(os.lseek(popen.sentinel, 0, os.SEEK_CUR), 0)
            os.close(popen.sentinel)


class PrivateDescriptors(unittest.TestCase):
    def in_child(self, look: Any, entries: Any) -> str:
        reading, writing = os.pipe()
        child = os.fork()
        if child == 0:
            private_descriptors.make_private([entry for entry in entries if entry.descriptor != writing])
            try:
                answer = repr(look())
            except OSError as error:
                answer = repr(error.errno)
            os.write(writing, answer.encode())
            os._exit(0)
        os.close(writing)
        os.waitpid(child, 0)
        with os.fdopen(reading) as file:
            return file.read()

    def test_files_get_an_offset_of_their_own(self) -> None:
        with tempfile.TemporaryFile() as file:
            file.write(b"0123456789")
            file.flush()
            os.lseek(file.fileno(), 4, os.SEEK_SET)
            self.assertEqual(self.in_child(lambda: os.read(file.fileno(), 2), private_descriptors.inherited()), "b'45'")
            self.assertEqual(os.lseek(file.fileno(), 0, os.SEEK_CUR), 4)

    def test_connections_fail_at_their_first_use(self) -> None:
        left, right = socket.socketpair()
        reading, writing = os.pipe()
        entries = private_descriptors.inherited()
        bad = str(9)  # EBADF
        self.assertEqual(self.in_child(lambda: left.send(b"x"), entries), bad)
        self.assertEqual(self.in_child(lambda: os.read(reading, 1), entries), bad)
        for end in (left, right):
            end.close()
        os.close(reading), os.close(writing)

    def test_the_streams_and_multiprocessing_keep_theirs(self) -> None:
        queue: Any = multiprocessing.Queue()
        kept = {entry.descriptor for entry in private_descriptors.inherited()}
        self.assertFalse(kept & {0, 1, 2, queue._reader.fileno(), queue._writer.fileno()})
        queue.close()

    def test_traffic_of_a_connection(self) -> None:
        server = socket.create_server(("127.0.0.1", 0))
        client = socket.create_connection(server.getsockname())
        other, _ = server.accept()
        before = private_descriptors.tcp_counts()
        self.assertEqual(private_descriptors.tcp_counts(), before)
        client.sendall(b"question")
        other.recv(8)
        wait_until(lambda: private_descriptors.tcp_counts() != before)
        port = server.getsockname()[1]
        changed = [key for key, counts in private_descriptors.tcp_counts().items() if counts != before[key]]
        self.assertIn(f"127.0.0.1:{port}", [private_descriptors.peer(key[0]) for key in changed])
        for end in (server, client, other):
            end.close()


COUNTED = 0
SIZES = [1]
SETTINGS = {"size": 1}


class State(unittest.TestCase):
    """State of a dataset or a sampler that workers do not share, or that they get too late."""

    def refused(self, part: str, loader: DataLoader, step: Any = lambda number: None) -> None:
        played = Played(loader, step=step)
        self.assertIn(part, played.refusal)
        self.assertEqual(set(played.used), {0})

    def test_what_loading_changes(self) -> None:
        class Cached(Numbers):
            def __init__(self) -> None:
                self.cache: Any = {}

        class Dict(Cached):
            def __getitem__(self, index: int) -> Any:
                return self.cache.setdefault(index, torch.tensor(index))

        class Filled(Cached):
            def __init__(self) -> None:
                self.cache = [None] * 400

            def __getitem__(self, index: int) -> Any:
                self.cache[index] = index
                return torch.tensor(index)

        class Array(Filled):
            def __init__(self) -> None:
                self.cache = numpy.zeros(400)

        class Counting(Cached):
            def __init__(self) -> None:
                self.cache = 0

            def __getitem__(self, index: int) -> Any:
                self.cache += 1
                return torch.tensor(index)

        class Slots:
            __slots__ = ("cache",)

            def __init__(self) -> None:
                self.cache = 0

        class Slotted(Numbers):
            def __init__(self) -> None:
                self.inner = (Slots(),)

            def __getitem__(self, index: int) -> Any:
                self.inner[0].cache += 1
                return torch.tensor(index)

        class OfTheClass(Numbers):
            cache: Any = collections.OrderedDict()

            def __getitem__(self, index: int) -> Any:
                type(self).cache[index] = index
                return torch.tensor(index)

        class Memoized(Numbers):
            def __init__(self) -> None:
                self.cache = functools.lru_cache(maxsize=None)(lambda index: index)

            def __getitem__(self, index: int) -> Any:
                return torch.tensor(self.cache(index))

        class Global(Numbers):
            def __getitem__(self, index: int) -> Any:
                global COUNTED
                COUNTED += 1
                return torch.tensor(index)

        for dataset in (Dict(), Filled(), Array(), Counting(), Slotted(), OfTheClass(), Memoized()):
            with self.subTest(dataset=type(dataset).__name__):
                self.refused("cache", DataLoader(dataset, 4, shuffle=True))
        self.refused("COUNTED", DataLoader(Global(), 4))

    def test_generators(self) -> None:
        class Drawing(Numbers):
            def __init__(self, rng: Any) -> None:
                self.rng = rng

            def __getitem__(self, index: int) -> Any:
                self.rng.random()
                return torch.tensor(index)

        class OfTorch(Drawing):
            def __getitem__(self, index: int) -> Any:
                torch.rand((), generator=self.rng)
                return torch.tensor(index)

        datasets = (
            Drawing(random.Random(1)), Drawing(numpy.random.default_rng(1)), Drawing(numpy.random.RandomState(1)), OfTorch(torch.Generator())
        )
        for dataset in datasets:
            with self.subTest(generator=type(dataset.rng).__name__):
                self.refused("rng", DataLoader(dataset, 4))

    def test_draws_from_the_global_generators(self) -> None:
        for draw in (random.random, numpy.random.rand, lambda: torch.rand(1), lambda: torch.manual_seed(3)):

            class Drawing(Numbers):
                def __getitem__(self, index: int) -> Any:
                    draw()
                    return torch.tensor(index)

            self.refused("draws random numbers", DataLoader(Drawing(), 4))

    def test_what_the_first_loads_set_up_is_no_reason(self) -> None:
        class Lazy(Numbers):
            table: Optional[list[int]] = None

            def __getitem__(self, index: int) -> Any:
                if self.table is None:
                    self.table = list(range(400))
                return torch.tensor(self.table[index])

        self.assertEqual(Played(DataLoader(Lazy(), 4)).used[-1], 2)

    def test_what_the_training_changes(self) -> None:
        class Sized(Numbers):
            def __init__(self) -> None:
                self.size = 8

        class Stored(Numbers):
            def __init__(self) -> None:
                self.store = torch.zeros(400)
                self.array = numpy.zeros(1000)

        sized, stored = Sized(), Stored()

        def change(number: int) -> None:
            if number % 3 == 0:
                sized.size = 8 + number

        self.refused("size", DataLoader(sized, 4), change)
        self.refused("store", DataLoader(stored, 4), lambda number: stored.store.add_(1))
        self.refused("array", DataLoader(stored, 4), lambda number: stored.array.__setitem__(0, number))

        def collate(samples: list[Any]) -> Any:
            return torch.stack(samples), SIZES[0]

        self.refused("SIZES", DataLoader(Numbers(), 4, collate_fn=collate), lambda number: SIZES.__setitem__(0, number))

    def test_a_change_that_comes_later_is_seen_before_the_next_batch(self) -> None:
        class Sized(Numbers):
            size = 0

            def __getitem__(self, index: int) -> Any:
                return torch.tensor(self.size)

        dataset = Sized()

        def step(number: int) -> None:
            if number == 70:
                dataset.size = 1000

        played = Played(DataLoader(dataset, 4), step=step)
        self.assertEqual(played.used[70], 2)
        self.assertEqual([int(batch[0]) for batch in played.batches], [0] * 71 + [1000] * 29)
        self.assertIn("dataset.size", played.refusal)

    def test_a_generator_that_the_training_shares(self) -> None:
        generator = torch.Generator().manual_seed(1)
        for loader in (
            DataLoader(Numbers(), 4, shuffle=True, generator=generator),
            DataLoader(Numbers(), 4, sampler=RandomSampler(range(400), replacement=True, generator=generator)),
        ):
            self.refused("generator", loader, lambda number: torch.rand(1, generator=generator))

    def test_a_sampler_that_the_training_changes_after_it_was_asked_ahead(self) -> None:
        class Hardest:
            def __init__(self) -> None:
                self.losses = [float(place % 7) for place in range(200)]

            def __iter__(self) -> Any:
                for _ in range(100):
                    hardest = max(range(200), key=self.losses.__getitem__)
                    yield [hardest]
                    self.losses[hardest] -= 1

            def __len__(self) -> int:
                return 100

        def trained(workers: int) -> Any:
            sampler = Hardest()
            loader = DataLoader(Numbers(), batch_sampler=sampler)
            return Played(loader, lambda number: sampler.losses.__setitem__(number % 9, 9.0) if number > 60 else None, workers)

        tuned = trained(2)
        self.assertEqual(tuned.used[60], 2)
        self.assertIn("losses", tuned.refusal)
        self.assertEqual(torch.cat(tuned.batches).tolist(), torch.cat(trained(0).batches).tolist())

    def test_a_sampler_is_asked_when_its_batch_is_due(self) -> None:
        asked: list[int] = []

        class Counted:
            def __iter__(self) -> Any:
                for place in range(100):
                    asked.append(place)
                    yield [place]

            def __len__(self) -> int:
                return 100

        seen: list[int] = []
        played = Played(DataLoader(Numbers(), batch_sampler=Counted()), lambda number: seen.append(len(asked)))
        self.assertEqual((played.refusal, played.used[-1]), ("", 2))
        self.assertEqual(seen, list(range(1, 101)))

    def test_a_copy_of_the_sampler_that_hangs_is_killed(self) -> None:
        class Hanging:
            def __iter__(self) -> Any:
                for place in range(100):
                    if os.getpid() != MAIN:
                        time.sleep(1000)
                    yield [place]

            def __len__(self) -> int:
                return 100

        copies = []
        fork = sampler_ahead.fork_grandchild
        with mock.patch.object(switching, "LEAST_PATIENCE_S", 0.5), mock.patch.object(
            sampler_ahead, "fork_grandchild", lambda *arguments: copies.append(fork(*arguments)) or copies[-1]
        ):
            played = Played(DataLoader(Numbers(), batch_sampler=Hanging()))
        self.assertIsNotNone(played.failure)
        self.assertEqual(torch.cat(played.batches).tolist(), list(range(100)))
        wait_until(lambda: not any(map(is_alive, copies)))
        self.assertEqual([is_alive(copy) for copy in copies], [False])

    def test_the_names_in_the_users_functions(self) -> None:
        self.assertTrue(stores.may_use(frozenset({"may_use"}), []), "as this one has it")
        self.assertFalse(stores.may_use(frozenset({"no code has this name"}), []))
        with mock.patch.object(stores, "_MOST_FUNCTIONS", 1):
            self.assertTrue(stores.may_use(frozenset({"no code has this name"}), []), "there are more than are read")

    def test_a_large_array_that_the_code_of_the_loop_stores_into(self) -> None:
        class Labeled(Numbers):
            def __init__(self) -> None:
                self.labels = numpy.zeros((100_000, 8))
                self.records = [argparse.Namespace(score=0) for _ in range(1000)]

        dataset = Labeled()
        view = dataset.labels.reshape(-1)

        def through_the_attribute(number: int) -> None:
            if number > 60:
                dataset.labels[number * 31, 3] += number

        def through_a_view(number: int) -> None:
            if number > 60:
                view[number * 31] = number

        def through_an_element(number: int) -> None:
            record = dataset.records[500]
            record.score = number

        self.refused("labels", DataLoader(dataset, 4), through_the_attribute)
        self.refused("labels", DataLoader(dataset, 4), lambda number: through_a_view(number))
        self.refused("records[...].score", DataLoader(dataset, 4), through_an_element)

        def reading(number: int) -> None:
            counts = [0] * 8
            counts[number % 8] = int(dataset.labels[number, 3])

        dataset.labels[:] = 1
        self.assertEqual(Played(DataLoader(dataset, 4), step=reading).used[-1], 2)

    def test_memory_that_is_mapped(self) -> None:
        class Mapped(Numbers):
            def __init__(self) -> None:
                self.labels = mmap.mmap(-1, 4096)

            def __getitem__(self, index: int) -> Any:
                return torch.tensor(self.labels[7])

        dataset = Mapped()
        played = Played(DataLoader(dataset, 4), lambda number: dataset.labels.__setitem__(7, max(0, number - 69)))
        self.assertIn("dataset.labels", played.refusal)
        self.assertEqual([int(batch[0]) for batch in played.batches], [0] * 70 + list(range(30)))

    def test_a_pickle_changes_nothing(self) -> None:
        played = Played(DataLoader(Pickled(), 4), step=lambda number: pickle.dumps(Pickled()) if number == 70 else None)
        self.assertEqual((played.refusal, played.used[-1]), ("", 2))

    def test_columns_of_pandas(self) -> None:
        try:
            import pandas
        except ImportError:
            self.skipTest("no pandas")

        class Counting(Numbers):
            def __init__(self) -> None:
                self.frame = pandas.DataFrame({"count": numpy.zeros(400)})

            def __getitem__(self, index: int) -> Any:
                self.frame.iat[index, 0] += 1
                return torch.tensor(index)

        self.refused("dataset.frame", DataLoader(Counting(), 4))

    def test_a_sampler_with_feedback(self) -> None:
        class Weighted:
            def __init__(self) -> None:
                self.weights = [1.0] * 400

            def __iter__(self) -> Any:
                return iter([place, place + 1] for place in range(100))

            def __len__(self) -> int:
                return 100

        sampler = Weighted()
        self.refused("weights", DataLoader(Numbers(), batch_sampler=sampler), lambda number: sampler.weights.__setitem__(number, 2.0))

    def test_rare_changes_by_loading_are_made_by_the_training_process(self) -> None:
        class Rare(Numbers):
            def __init__(self) -> None:
                self.bad: list[int] = []

            def __getitem__(self, index: int) -> Any:
                if index == 290:
                    self.bad.append(index)
                return torch.tensor(index)

        played = Played(DataLoader(Rare(), 4))
        self.assertEqual(played.used[60], 2)
        self.assertIn("bad", played.refusal)
        self.assertEqual(played.switchable.loader.dataset.bad, [290])
        self.assertEqual(torch.cat(played.batches).tolist(), list(range(400)))

    def test_what_the_dataset_replaces_is_free_at_once(self) -> None:
        class Sharded(Numbers):
            number, shard = -1, torch.zeros(0)

            def __getitem__(self, index: int) -> Any:
                if index // 200 != self.number:
                    self.number, self.shard = index // 200, torch.full((1 << 16,), index // 200)
                    shards.append(weakref.ref(self.shard))
                return self.shard[index]

        shards: list[Any] = []
        alive: list[int] = []
        played = Played(DataLoader(Sharded(), 4), lambda number: alive.append(sum(shard() is not None for shard in shards)))
        self.assertEqual((played.used[49], played.used[50], len(shards)), (2, 0, 2))  # the 50th batch comes from another shard
        self.assertEqual(max(alive), 1)

    def test_effects_of_loading(self) -> None:
        with tempfile.TemporaryDirectory() as folder:

            class Writing(Numbers):
                def __getitem__(self, index: int) -> Any:
                    with open(f"{folder}/log", "a") as file:
                        file.write(f"{index}\n")
                    return torch.tensor(index)

            class Printing(Numbers):
                def __getitem__(self, index: int) -> Any:
                    print(index)
                    return torch.tensor(index)

            class Logging(Numbers):
                def __init__(self) -> None:
                    self.log = open(f"{folder}/kept", "w")

                def __getitem__(self, index: int) -> Any:
                    print(index, file=self.log)
                    return torch.tensor(index)

            self.refused("changes files", DataLoader(Writing(), 4))
            self.assertEqual(len(pathlib.Path(folder, "log").read_text().splitlines()), 400)
            with redirect_stdout(io.StringIO()) as output:
                self.refused("prints", DataLoader(Printing(), 4))
            self.assertEqual(output.getvalue().split(), [str(index) for index in range(400)])
            logging = Logging()
            self.refused("log", DataLoader(logging, 4))
            logging.log.close()
            self.assertEqual(len(pathlib.Path(folder, "kept").read_text().splitlines()), 400)

    def test_containers_modules_and_the_process(self) -> None:
        settings = argparse.Namespace(size=1)

        class Using(Numbers):
            def __init__(self, used: Any) -> None:
                self.used = used

        class OfAGlobal(Numbers):
            def __getitem__(self, index: int) -> Any:
                return torch.tensor(index if SETTINGS else index)

        array, memory = array_module.array("d", [0.0] * 4), {"size": 1}
        for used, change in (
            (settings, lambda number: setattr(settings, "size", number)),
            (memory, lambda number: memory.__setitem__("size", number)),
            (array, lambda number: array.__setitem__(1, number)),
        ):
            self.refused("dataset.used", DataLoader(Using(used), 4), change)
        self.refused("SETTINGS", DataLoader(OfAGlobal(), 4), lambda number: SETTINGS.__setitem__("size", number))
        usual = os.getcwd()
        self.addCleanup(os.chdir, usual)
        self.refused("the working directory", DataLoader(Numbers(), 4), lambda number: os.chdir("/tmp" if number % 2 else "/"))

    def test_an_attribute_that_has_the_name_of_a_global_is_none(self) -> None:
        class Labeled(Numbers):
            def __init__(self) -> None:
                self.COUNTED = 1

            def __getitem__(self, index: int) -> Any:
                return torch.tensor(index * self.COUNTED)

        def step(number: int) -> None:
            global COUNTED
            COUNTED = number

        self.assertEqual(Played(DataLoader(Labeled(), 4), step=step).used[-1], 2)

    def test_an_array_of_the_class(self) -> None:
        class Colored(Numbers):
            palette = numpy.arange(12).reshape(4, 3)

        self.assertEqual(Played(DataLoader(Colored(), 4)).used[-1], 2)

    def test_hazards(self) -> None:
        class Holding(Numbers):
            def __init__(self, held: Any) -> None:
                self.held = held

        lock = threading.Lock()
        lock.acquire()
        pool = concurrent.futures.ThreadPoolExecutor(1)
        pair = socket.socketpair()
        queue: Any = multiprocessing.Queue()
        for held in ([pool], {"lock": lock}, pair, queue):
            with self.subTest(held=type(held).__name__):
                self.refused("dataset.held", DataLoader(Holding(held), 4))
        pool.shutdown()
        for end in pair:
            end.close()

    def test_nothing_of_the_users_is_called(self) -> None:
        class Trap(Numbers):
            def __getattr__(self, name: str) -> Any:
                raise AssertionError(name)

            @property
            def value(self) -> Any:
                raise AssertionError("value")

            def __eq__(self, other: Any) -> Any:
                raise AssertionError("==")

            def __hash__(self) -> int:
                raise AssertionError("hash")

            def __len__(self) -> int:
                raise AssertionError("len")

        trap = Trap()
        trap.__dict__["others"] = [trap]
        first = fingerprint.take({"trap": trap})
        self.assertIsNone(snapshot.first_change(first, fingerprint.take({"trap": trap})))
        trap.__dict__["others"] = [trap, 1]
        self.assertEqual(snapshot.first_change(first, fingerprint.take({"trap": trap})), "trap.others")


class FilesOfWorkers(unittest.TestCase):
    def change(self, load: Any) -> Optional[str]:
        """The change that a worker finds in its first loads of a dataset with an open file."""
        with tempfile.NamedTemporaryFile("w") as written, open(written.name) as file:
            written.writelines(f"{number:7}\n" for number in range(2000))
            written.flush()
            found: list[str] = []
            state = worker_state.WorkerState({"dataset": argparse.Namespace(file=file)}, 0)
            with mock.patch.object(state, "_report", found.append):
                for index in range(8):
                    state.around(lambda: load(file, index))
        return found[0] if found else None

    def test_one_that_is_read_sequentially(self) -> None:
        self.assertEqual(self.change(lambda file, index: file.readline()), "dataset.file")
        self.assertEqual(self.change(lambda file, index: next(file)), "dataset.file")

    def test_one_that_is_read_by_seeking(self) -> None:
        self.assertIsNone(self.change(lambda file, index: (file.seek(8 * index), file.readline())))

    def test_what_a_worker_changes_after_its_first_loads(self) -> None:
        dataset = argparse.Namespace(level=0)
        found: list[str] = []
        state = worker_state.WorkerState({"dataset": dataset}, 0)
        with mock.patch.object(state, "_report", found.append):
            for index in range(40):
                state.around(lambda: setattr(dataset, "level", index // 20))
        self.assertEqual(found, ["dataset.level"])


class Contents(unittest.TestCase):
    def difference(self, left: Any, right: Any) -> Optional[str]:
        return snapshot.first_change(fingerprint.content(left), fingerprint.content(right))

    def test_equal_and_different(self) -> None:
        large = torch.randn(64, 3, 100, 100)
        other = large.clone()
        other[17] += 1e-6
        for left, right, path in (
            (large, large.clone(), None),
            (large, other, "batch"),
            ([torch.zeros(2), "a"], [torch.zeros(2), "b"], "batch[1]"),
            ({"x": numpy.arange(3)}, {"x": numpy.arange(3)}, None),
            ({"x": numpy.arange(3)}, {"x": numpy.arange(3.0)}, "batch.x"),
            (torch.tensor(float("nan")), torch.tensor(float("nan")), None),
            (torch.tensor(0.0), torch.tensor(-0.0), "batch"),
            (torch.zeros(2, dtype=torch.bfloat16), torch.zeros(2, dtype=torch.float16), "batch"),
        ):
            self.assertEqual(self.difference(left, right), path)


class SmallTensors(unittest.TestCase):
    def test_hold_no_descriptor(self) -> None:
        kept: list[Any] = []
        loader = SwitchableLoader(DataLoader(Numbers(), 4))
        iterator = iter(loader)
        before: set[str] = set()
        for number, batch in enumerate(iterator):
            if number == 20:
                iterator.switch(LoaderSettings(1))
            kept.append(batch)
            time.sleep(0.005)
            if number == 60:
                before = set(os.listdir("/proc/self/fd"))
                self.assertEqual(iterator.settings.num_workers, 1)
            if number == 98:
                self.assertLessEqual(len(set(os.listdir("/proc/self/fd")) - before), 2)
        self.assertEqual(torch.cat(kept).tolist(), list(range(400)))

    def test_are_the_same_tensors(self) -> None:
        for tensor in (
            torch.arange(6).reshape(2, 3), torch.tensor(3.5), torch.zeros(0, 2), torch.tensor([True, False]), torch.tensor([1 + 2j]),
            torch.ones(3, dtype=torch.bfloat16)
        ):
            rebuild, arguments = small_tensors._reduced(tensor)
            again = rebuild(*arguments)
            self.assertEqual((again.dtype, again.shape), (tensor.dtype, tensor.shape))
            self.assertTrue(torch.equal(again, tensor))

    def test_views_of_larger_memory_stay_views(self) -> None:
        memory = torch.arange(10)
        self.assertFalse(small_tensors._is_small(memory[:5], collated=True))
        self.assertTrue(small_tensors._is_small(memory, collated=True))
        self.assertFalse(small_tensors._is_small(memory.share_memory_(), collated=False))

    def test_a_script_that_keeps_large_batches_goes_back_to_its_own_settings(self) -> None:
        class Large(Numbers):
            def __getitem__(self, index: int) -> Any:
                return torch.full((5000,), float(index))

        with mock.patch.object(switching, "free_descriptors", side_effect=lambda left=[100]: left.__setitem__(0, left[0] - 30) or left[0]), \
             mock.patch.object(switching, "_DESCRIPTORS_EACH", 8):
            played = Played(DataLoader(Large(), 4))
        self.assertIn("descriptor", played.refusal)
        self.assertEqual([int(batch[0, 0]) for batch in played.batches], list(range(0, 400, 4)))


class CpuQuota(unittest.TestCase):
    def test_the_smallest_of_all_levels_counts(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            root = pathlib.Path(folder)
            (root / "job/step").mkdir(parents=True)
            (root / "membership").write_text("0::/job/step\n")
            (root / "job/cpu.max").write_text("250000 100000\n")
            (root / "job/step/cpu.max").write_text("max 100000\n")
            self.assertEqual(cpu_quota.usable_cpus(8, folder, f"{folder}/membership"), 3)
            (root / "job/step/cpu.max").write_text("10000 100000\n")
            self.assertEqual(cpu_quota.usable_cpus(8, folder, f"{folder}/membership"), 1)
            (root / "membership").write_text("4:cpu,cpuacct:/job\n")
            (root / "cpu/job").mkdir(parents=True)
            (root / "cpu/job/cpu.cfs_quota_us").write_text("400000\n")
            (root / "cpu/job/cpu.cfs_period_us").write_text("100000\n")
            self.assertEqual(cpu_quota.usable_cpus(8, folder, f"{folder}/membership"), 4)
            self.assertEqual(cpu_quota.usable_cpus(2, folder, f"{folder}/nothing"), 2)


class Refusals(unittest.TestCase):
    def test_are_final(self) -> None:
        class Counting(Numbers):
            count = 0

            def __getitem__(self, index: int) -> Any:
                self.count += 1
                return torch.tensor(index)

        played = Played(DataLoader(Counting(), 4))
        iterator = iter(played.switchable)
        iterator.switch(LoaderSettings(2))
        next(iterator), next(iterator)
        self.assertIsInstance(iterator.failure, Refusal)
        self.assertEqual(iterator.settings.num_workers, 0)
        iterator.close()


if __name__ == "__main__":
    unittest.main()
