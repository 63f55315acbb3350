# SPDX-License-Identifier: Apache-2.0
"""feedrate.switching: whatever is switched, batches and random states equal those of the loader without feedrate.

PYTHONPATH=python python3 tests/python/switching_test.py [--plans N] [--seed S] [unittest's arguments]
"""
from __future__ import annotations

import gc
import io
import itertools
import multiprocessing
import os
import random
import signal
import sys
import tempfile
import threading
import time
import unittest
import warnings
from collections.abc import Callable, Iterator
from contextlib import redirect_stderr
from dataclasses import dataclass, field
from typing import Any, Optional
from unittest import mock

import numpy
import torch
from torch.utils.data import BatchSampler, DataLoader, Dataset, IterableDataset, RandomSampler, SequentialSampler
from torch.utils.data import SubsetRandomSampler, WeightedRandomSampler
from torch.utils.data.distributed import DistributedSampler

from feedrate import inner_loader, switching, trial_workers
from feedrate.switchable import why_not_switchable
from feedrate.switching import LoaderSettings, SwitchableIterator, SwitchableLoader

PLANS = 8
SEED = random.SystemRandom().randrange(1 << 32)

HAS_IN_ORDER = "in_order" in LoaderSettings(1, in_order=False).arguments()


def worker_info() -> Any:
    """get_worker_info() under another name, because feedrate does not tune a dataset whose code has that name."""
    return vars(torch.utils.data)["get_" "worker_info"]()


class Numbers(Dataset):
    """Sample i is i and i squared."""

    def __init__(self, size: int) -> None:
        self.size = size

    def __len__(self) -> int:
        return self.size

    def __getitem__(self, index: int) -> tuple[torch.Tensor, int]:
        return torch.full((3,), index), index * index


class Faulty(Numbers):
    def __getitem__(self, index: int) -> tuple[torch.Tensor, int]:
        if index in (17, 50, 51):
            raise KeyError(f"sample {index}")
        return super().__getitem__(index)


class OnlyHere(Numbers):
    """Fails in workers, like a dataset that holds CUDA tensors."""

    def __getitem__(self, index: int) -> tuple[torch.Tensor, int]:
        if worker_info() is not None:
            raise RuntimeError("not in a worker")
        return super().__getitem__(index)


class Seeking(Dataset):
    """Keeps a file open. Sample i is its byte i."""

    def __init__(self, path: str, lazy: bool) -> None:
        self.path = path
        self.file = -1 if lazy else os.open(path, os.O_RDONLY)

    def __del__(self) -> None:
        if self.file >= 0:
            os.close(self.file)

    def __len__(self) -> int:
        return 200

    def __getitem__(self, index: int) -> int:
        if self.file < 0:
            self.file = os.open(self.path, os.O_RDONLY)
        return self.read(index)[0]

    def read(self, index: int) -> bytes:
        os.lseek(self.file, index, os.SEEK_SET)
        return os.read(self.file, 1)


class Placed(Seeking):
    def read(self, index: int) -> bytes:
        return os.pread(self.file, 1, index)


class Seeds(Numbers):
    """A sample is (the seed of the worker that loads it, its process id), or zeros without a worker."""

    def __getitem__(self, index: int) -> tuple[int, int]:
        worker = worker_info()
        return (torch.initial_seed() - worker.id, os.getpid()) if worker is not None else (0, 0)


class EagerBatches:
    """Draws when an iterator is made, like Hugging Face's LengthGroupedSampler."""

    def __init__(self, size: int) -> None:
        self.size = size

    def __iter__(self) -> Iterator[list[int]]:
        return iter(torch.randperm(self.size)[: self.size // 3 * 3].reshape(-1, 3).tolist())

    def __len__(self) -> int:
        return self.size // 3


class DrawnBatches(EagerBatches):
    def __iter__(self) -> Iterator[list[int]]:
        for _ in range(len(self)):
            yield torch.randint(self.size, (random.randint(1, 3),)).tolist()


class LateDrawing(SequentialSampler):
    """Draws from the global generators for each sample after the first 10."""

    def __iter__(self) -> Iterator[int]:
        for index in super().__iter__():
            if index >= 10:
                torch.rand(1)
            yield index


class EndlessBatches:
    def __init__(self, size: int) -> None:
        self.size = size

    def __iter__(self) -> Iterator[list[int]]:
        generator = torch.Generator().manual_seed(5)
        while True:
            yield from BatchSampler(RandomSampler(range(self.size), generator=generator), 3, False)


@dataclass
class Plan:
    """A plan of switches. `limit`: the number of batches after which an epoch is left."""

    sampler: str
    size: int
    user: LoaderSettings
    epochs: int = 1
    limit: Optional[int] = None
    own_generator: bool = False
    begin: Optional[LoaderSettings] = None
    switches: dict[tuple[int, int], LoaderSettings] = field(default_factory=dict)

    @property
    def ordered(self) -> bool:
        return all(settings.in_order for settings in (self.user, self.begin or self.user, *self.switches.values()))


SAMPLERS = {
    "sequential": lambda data: {"batch_size": 4},
    "drop last": lambda data: {"batch_size": 4, "drop_last": True, "shuffle": True},
    "shuffle": lambda data: {"batch_size": 3, "shuffle": True},
    "replacement": lambda data: {"batch_size": 5, "sampler": RandomSampler(data, replacement=True, num_samples=len(data) + 40)},
    "twice": lambda data: {"batch_size": 5, "sampler": RandomSampler(data, num_samples=len(data) * 2 - 1)},
    "weighted": lambda data: {"batch_size": 2, "sampler": WeightedRandomSampler(list(range(1, len(data) + 1)), len(data))},
    "subset": lambda data: {"batch_size": 2, "sampler": SubsetRandomSampler(range(0, len(data), 2))},
    "distributed": lambda data: {"batch_size": 2, "sampler": DistributedSampler(data, num_replicas=2, rank=1)},
    "batches": lambda data: {"batch_sampler": BatchSampler(SequentialSampler(data), 4, True)},
    "list": lambda data: {"batch_sampler": [[i, 0] for i in range(len(data))]},
    "eager": lambda data: {"batch_sampler": EagerBatches(len(data))},
    "drawn": lambda data: {"batch_sampler": DrawnBatches(len(data))},
    "endless": lambda data: {"batch_sampler": EndlessBatches(len(data))},
    "single": lambda data: {"batch_size": None, "shuffle": True},
}


def make_settings(rng: random.Random, workers: int, in_order: float = 0.9) -> LoaderSettings:
    if workers == 0:
        return LoaderSettings(0, pin_memory=rng.random() < 0.2)
    return LoaderSettings(
        workers,
        prefetch_factor=rng.choice([None, 1, 1, 2, 2, 3, 8]),
        pin_memory=rng.random() < 0.2,
        persistent_workers=rng.random() < 0.3,
        in_order=not HAS_IN_ORDER or rng.random() < in_order,
    )


def make_plan(rng: random.Random) -> Plan:
    def workers(least: int) -> int:
        return max(least, rng.choice([0, 0, 1, 1, 1, 2, 2, 3] + [8] * (rng.random() < 0.1)))

    def other() -> LoaderSettings:
        """A random setting that is allowed: workers if the user has some, and in_order if the user has none."""
        return make_settings(rng, workers(1), 0.9) if user.num_workers else make_settings(rng, workers(0), 1.0)

    sampler, user = rng.choice(list(SAMPLERS)), make_settings(rng, workers(0))
    plan = Plan(sampler, rng.randint(1, 90), user, epochs=rng.randint(1, 3), own_generator=rng.random() < 0.3)
    if sampler == "endless" or (rng.random() < 0.2 and not plan.own_generator):
        plan.limit = rng.randint(1, 30)
    if rng.random() < 0.2:
        plan.begin = other()
    for epoch in range(plan.epochs):
        for _ in range(rng.choice([0, 1, 1, 2, 4])):
            plan.switches[epoch, rng.randint(0, 25)] = other()
    return plan


def make_loader(plan: Plan, dataset: Optional[Dataset] = None, **more: Any) -> DataLoader:
    dataset = dataset or Numbers(plan.size)
    generator = torch.Generator().manual_seed(11) if plan.own_generator else None
    return DataLoader(dataset, generator=generator, **SAMPLERS[plan.sampler](dataset), **plan.user.arguments(), **more)


def random_states() -> list[Any]:
    numbers = numpy.random.get_state()
    return [torch.get_rng_state().tolist(), random.getstate(), (numbers[1].tolist(), numbers[2:])]


def play(loader: Any, plan: Plan) -> list[tuple[list[Any], Any]]:
    """For each epoch, the batches and draws of the training, and the random states at its end."""
    torch.manual_seed(1), random.seed(2), numpy.random.seed(3)
    epochs = []
    for epoch in range(plan.epochs):
        if plan.sampler == "distributed":
            loader.sampler.set_epoch(epoch)
        steps: list[Any] = []
        iterator = iter(loader)
        while plan.limit is None or len(steps) < plan.limit:
            if isinstance(iterator, SwitchableIterator) and (epoch, len(steps)) in plan.switches:
                iterator.switch(plan.switches[epoch, len(steps)])
            try:
                batch = next(iterator)
            except StopIteration:
                break
            except KeyError as error:
                batch = [str(error).strip().splitlines()[-1]]
            draws = (torch.rand(2).tolist(), random.random(), numpy.random.rand())
            steps.append(([part.tolist() if isinstance(part, torch.Tensor) else part for part in batch], draws))
        if isinstance(iterator, SwitchableIterator) and iterator.failure is not None and plan.sampler != "drawn":
            steps.append(repr(iterator.failure))
        iterator = None
        epochs.append((steps, random_states()))
    return epochs


def difference(plan: Plan, dataset: Optional[Dataset] = None, **more: Any) -> Optional[str]:
    """The difference between the loader without feedrate and one that is switched as planned."""
    untouched = play(make_loader(plan, dataset, **more), plan)
    switched = play(SwitchableLoader(make_loader(plan, dataset, **more), plan.begin), plan)
    for epoch, ((steps, states), (others, other_states)) in enumerate(zip(untouched, switched)):
        if not plan.ordered and plan.limit is None:
            steps, others = (sorted(repr(step[0]) for step in some) for some in (steps, others))
        if steps != others and (plan.ordered or plan.limit is None):
            at = next((i for i, (a, b) in enumerate(zip(steps, others)) if a != b), min(len(steps), len(others)))
            return f"epoch {epoch}, step {at} of {len(steps)} and {len(others)}: {steps[at:at+2]} != {others[at:at+2]}"
        if states != other_states:
            return f"epoch {epoch}: the random states differ"
    return None


def wait_until(holds: Callable[[], bool]) -> None:
    end = time.monotonic() + 10
    while not holds() and time.monotonic() < end:
        time.sleep(0.01)


def wait_for_workers_to_end(leave: int = 0) -> list[Any]:
    wait_until(lambda: len(multiprocessing.active_children()) <= leave)
    return multiprocessing.active_children()


def begun(loader: DataLoader) -> SwitchableIterator:
    return SwitchableIterator(loader).begin()


class Quiet(unittest.TestCase):
    """Nothing is printed to stderr, no exception is lost in a destructor, no worker stays."""

    def setUp(self) -> None:
        warnings.simplefilter("error")
        for harmless in ("'pin_memory' argument", "This DataLoader will create", ".*multi-threaded, use of fork"):
            warnings.filterwarnings("ignore", harmless)
        self.lost: list[Any] = []
        hook = mock.patch.object(sys, "unraisablehook", self.lost.append)
        hook.start()
        self.addCleanup(hook.stop)

    def tearDown(self) -> None:
        gc.collect()
        self.assertEqual(wait_for_workers_to_end(), [])
        self.assertEqual([repr(lost.exc_value) for lost in self.lost], [])


class SameAsUntouched(Quiet):
    def test_random_plans(self) -> None:
        rng = random.Random(SEED)
        for number in range(PLANS):
            plan = make_plan(rng)
            self.assertIsNone(difference(plan), f"--seed {SEED}, plan {number}: {plan}")

    def test_each_sampler(self) -> None:
        for number, sampler in enumerate(SAMPLERS):
            for workers in (0, 1) if PLANS > 99 else (number % 2,):
                other = LoaderSettings(1 - workers)
                switches = {(0, 3): other, (0, 7): LoaderSettings(workers)}
                plan = Plan(sampler, 40, LoaderSettings(workers), limit=25, switches=switches)
                self.assertIsNone(difference(plan), plan)

    def test_a_fault_in_the_feed_is_found(self) -> None:
        class Skips(inner_loader.Feed):
            def __next__(self) -> Any:
                if not self.taken and self.source is not None and not hasattr(self, "skipped"):
                    self.skipped = self.source.pull()
                return super().__next__()

        plans = [make_plan(random.Random(seed)) for seed in range(60)]
        plans = [plan for plan in plans if plan.user.num_workers < 2 and plan.switches and plan.size > 30][:3]
        with mock.patch.object(inner_loader, "Feed", Skips):
            for plan in plans:
                self.assertIsNotNone(difference(plan), plan)

    def test_not_in_order_the_former_setting_comes_first(self) -> None:
        if not HAS_IN_ORDER:
            self.skipTest("this torch has no in_order")
        loader = DataLoader(Numbers(60), 1, num_workers=2, prefetch_factor=4, in_order=False)
        iterator = begun(loader)
        seen = [int(next(iterator)[1]) for _ in range(5)]
        iterator.switch(LoaderSettings(1))
        seen.append(int(next(iterator)[1]))
        former = iterator.outstanding
        self.assertEqual(former, 7)
        seen += [int(next(iterator)[1]) for _ in range(former)]
        self.assertEqual(iterator.outstanding, 0)
        self.assertEqual(sorted(seen), [i * i for i in range(13)])
        self.assertEqual([int(batch[1]) for batch in iterator], [i * i for i in range(13, 60)])

    def test_settings_and_outstanding(self) -> None:
        iterator = begun(DataLoader(Numbers(40), 2, num_workers=1))
        self.assertEqual((len(iterator), iterator.outstanding), (20, 0))
        self.assertEqual(iterator.settings, LoaderSettings(1, 2))
        iterator.switch(LoaderSettings(2, 3))
        next(iterator)
        self.assertEqual((iterator.settings, iterator.outstanding), (LoaderSettings(1, 2), 1))
        iterator.switch(LoaderSettings(1, 4))  # waits
        next(iterator)
        self.assertEqual((iterator.settings, iterator.outstanding), (LoaderSettings(2, 3), 0))
        next(iterator)
        self.assertEqual((iterator.settings, iterator.outstanding), (LoaderSettings(2, 3), 5))
        iterator.close()
        self.assertRaises(StopIteration, next, iterator)


class EpochsOfALoader(Quiet):
    def processes(self, iterator: Iterator[Any]) -> set[int]:
        return {int(process) for _, processes in iterator for process in processes}

    def test_persistent_workers_serve_the_next_epoch(self) -> None:
        for user, chosen in ((True, None), (False, LoaderSettings(2, persistent_workers=True))):
            loader = SwitchableLoader(DataLoader(Seeds(20), 2, num_workers=2, persistent_workers=user), chosen)
            list(loader)
            first = self.processes(iter(loader))
            next(iter(loader))  # leaves the epoch early
            self.assertEqual(self.processes(iter(loader)), first)
            iterator = iter(loader)
            next(iterator)
            self.assertEqual(self.processes(iter(loader)) == first, user)  # two epochs at once, except with PyTorch's persistent workers
            del iterator

    def test_persistent_workers_that_run_already(self) -> None:
        plan = Plan("shuffle", 30, LoaderSettings(1, persistent_workers=True), limit=5, switches={(0, 2): LoaderSettings(2)})
        results = []
        for wrap in (lambda loader: loader, SwitchableLoader):
            loader = make_loader(plan)
            next(iter(loader))
            results.append(play(wrap(loader), plan))
        self.assertEqual(*results)

    def test_the_settings_chosen_last_begin_the_next_epoch(self) -> None:
        loader = SwitchableLoader(DataLoader(Numbers(20), 2, num_workers=1))
        loader.switch(LoaderSettings(1, 4))
        self.assertEqual(len(list(loader)), 10)
        iterator = iter(loader)
        self.assertEqual(iterator.settings, LoaderSettings(1, 4))
        loader.switch(LoaderSettings(2))
        next(iterator), next(iterator)
        self.assertEqual(len(list(iterator)), 8)
        self.assertEqual(iter(loader).settings, LoaderSettings(2, 2))
        self.assertEqual((loader.batch_size, len(loader)), (2, 10))

    def test_two_at_once(self) -> None:
        loader = SwitchableLoader(DataLoader(Numbers(20), 2), LoaderSettings(1))
        for left, right in zip(loader, loader):
            self.assertEqual(left[1].tolist(), right[1].tolist())


class Faults(Quiet):
    def test_exceptions_of_the_dataset(self) -> None:
        for workers in (0, 1):
            for other in (0, 2):
                plan = Plan("sequential", 80, LoaderSettings(workers), switches={(0, 2): LoaderSettings(other, 1)})
                untouched = play(make_loader(plan, Faulty(80)), plan)
                gc.collect()  # a worker forked later must not free this iterator, which would end the parent's workers
                switched = play(SwitchableLoader(make_loader(plan, Faulty(80))), plan)
                gc.collect()
                steps = [step for step in switched[0][0] if not isinstance(step, str)]
                self.assertEqual(untouched, [(steps, switched[0][1])], plan)

    def test_a_dataset_that_works_in_no_worker(self) -> None:
        loader = DataLoader(OnlyHere(20), 2)
        iterator = begun(loader)
        next(iterator)
        iterator.switch(LoaderSettings(2))
        self.assertEqual([batch[1].tolist() for batch in iterator], [batch[1].tolist() for batch in loader][1:])
        self.assertIn("not in a worker", str(iterator.failure))

    def test_a_dataset_that_reads_through_an_open_file(self) -> None:
        """Workers for num_workers=0 get their own offset, and the audit shows that the offset does not matter."""
        with tempfile.NamedTemporaryFile() as file:
            file.write(bytes(range(200)))
            file.flush()
            for workers, lazy in ((0, False), (0, True), (1, False)):
                loader = DataLoader(Seeking(file.name, lazy), 2, num_workers=workers)
                iterator = begun(loader)
                batches = [next(iterator) for _ in range(3)]
                iterator.switch(LoaderSettings(2))
                batches += iterator
                self.assertEqual(torch.cat(batches).tolist(), list(range(200)))
                if workers:
                    self.assertIn(os.path.basename(file.name), str(iterator.failure))
                else:
                    self.assertIsNone(iterator.failure)

    def test_a_dataset_that_reads_an_open_file_without_moving_in_it(self) -> None:
        with tempfile.NamedTemporaryFile() as file:
            file.write(bytes(range(200)))
            file.flush()
            iterator = begun(DataLoader(Placed(file.name, lazy=False), 2))
            batches = [next(iterator) for _ in range(3)]
            iterator.switch(LoaderSettings(2))
            batches += iterator
            self.assertEqual(torch.cat(batches).tolist(), list(range(200)))
            self.assertEqual((iterator.settings.num_workers, iterator.failure), (2, None))

    def test_exceptions_of_the_sampler(self) -> None:
        def batches() -> Iterator[list[int]]:
            yield from ([i] for i in range(9))
            raise LookupError("of the sampler")

        class Broken:
            def __iter__(self) -> Iterator[list[int]]:
                return batches()

        for workers in (0, 1):
            for other in (0, 1, 2):
                seen = []
                for wrap in (iter, begun):
                    iterator = wrap(DataLoader(Numbers(20), batch_sampler=Broken(), num_workers=workers))
                    steps: list[Any] = []
                    while len(steps) < 12:
                        if len(steps) == 2 and wrap is begun:
                            iterator.switch(LoaderSettings(other))
                        try:
                            steps.append(int(next(iterator)[1]))
                        except StopIteration:
                            break
                        except LookupError as error:
                            steps.append(str(error))
                    seen.append(steps)
                untouched, switched = seen
                self.assertEqual(switched.count("of the sampler"), 1, (workers, other))
                if other == workers:
                    self.assertEqual(switched, untouched)
                elif switched != untouched:  # PyTorch loses a batch here
                    switched.remove("of the sampler")
                    self.assertEqual(switched, [i * i for i in range(9)], (workers, other))

    def start_fails(self, after: int, settings: LoaderSettings, error: Exception) -> None:
        start, count = trial_workers._HiddenProcess.start, [0]

        def fails(process: Any) -> None:
            count[0] += 1
            if count[0] > after:
                raise error
            start(process)

        loader = DataLoader(Numbers(40), 2, num_workers=1)
        iterator = begun(loader)
        seen = [next(iterator)]
        with mock.patch.object(trial_workers._HiddenProcess, "start", fails):
            iterator.switch(settings)
            seen.append(next(iterator))
        self.assertIs(iterator.failure, error)
        self.assertEqual(iterator.settings, LoaderSettings(1, 2))
        self.assertEqual(len(wait_for_workers_to_end(leave=1)), 1)
        self.assertEqual([batch[1].tolist() for batch in seen + list(iterator)], [batch[1].tolist() for batch in loader])

    def test_workers_that_do_not_start(self) -> None:
        for after in (0, 1, 2):
            self.start_fails(after, LoaderSettings(3), OSError(11, "Resource temporarily unavailable"))
        self.start_fails(0, LoaderSettings(1, 5), RuntimeError("no"))

    def test_a_switch_for_which_there_is_no_memory(self) -> None:
        iterator = begun(DataLoader(Numbers(30), 1))
        seen = [next(iterator)]
        iterator.switch(LoaderSettings(2, 3))
        with mock.patch.object(switching, "random_states", side_effect=MemoryError):
            seen.append(next(iterator))
        self.assertIn("MemoryError", str(iterator.failure))
        self.assertEqual([int(batch[1]) for batch in seen + list(iterator)], [i * i for i in range(30)])

    def test_what_was_asked_ahead_is_not_lost(self) -> None:
        put = inner_loader.Inner.start

        def start(inner: Any, source: Any) -> None:
            put(inner, source)
            if inner.settings.num_workers == 2:
                raise OSError(28, "No space left on device")

        with mock.patch.object(inner_loader.Inner, "start", start):
            iterator = begun(DataLoader(Numbers(30), 1))
            seen = [next(iterator)]
            iterator.switch(LoaderSettings(2, 3))
            seen += list(iterator)
        self.assertEqual([int(batch[1]) for batch in seen], [i * i for i in range(30)])
        self.assertEqual(iterator.failure.errno, 28)

    def test_settings_that_torch_refuses(self) -> None:
        local = DataLoader(Numbers(20), 2, collate_fn=lambda samples: len(samples))
        contexts = [LoaderSettings(1, multiprocessing_context=context) for context in ("spawn", "no")]
        for settings in (LoaderSettings(-1), *contexts):
            iterator = begun(local)
            next(iterator)
            iterator.switch(settings)
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                self.assertEqual(list(iterator), [2] * 9)
            self.assertIsNotNone(iterator.failure)
            self.assertEqual(list(SwitchableIterator(local, LoaderSettings(-1)).begin()), [2] * 10)

    def test_a_killed_worker(self) -> None:
        for seconds, latest in (0, 3), (0.2, 100):
            loader = DataLoader(Numbers(400), 2, num_workers=1)
            iterator = begun(loader)
            seen = [next(iterator)]
            iterator.switch(LoaderSettings(2))
            seen += [next(iterator), next(iterator)]
            killer = threading.Timer(seconds, lambda: kill_hidden(iterator))
            killer.start()
            for batch in iterator:
                if len(seen) == latest:
                    killer.join()
                seen.append(batch)
                time.sleep(0.002)
            self.assertIsNotNone(iterator.failure)
            self.assertEqual([batch[1].tolist() for batch in seen], [batch[1].tolist() for batch in loader])

    def test_an_audited_worker_that_is_killed(self) -> None:
        loader = DataLoader(Numbers(10**6), worker_init_fn=lambda worker: os.kill(os.getpid(), signal.SIGKILL))
        iterator = begun(loader)
        iterator.switch(LoaderSettings(1))
        seen = 0
        for _, (number,) in iterator:
            self.assertEqual(number, seen**2)
            seen += 1
            time.sleep(0.002)
            if iterator.failure is not None:
                break
        self.assertIn("DataLoader worker", str(iterator.failure), "not only that it brings no batch in time")

    def test_the_death_of_a_trial_worker_is_raised_by_no_signal(self) -> None:
        """PyTorch's handler would raise it into whatever the main thread runs: a step of the training, a with statement, __del__."""
        loader = DataLoader(Numbers(60), 2, num_workers=1)  # sets PyTorch's handler of SIGCHLD, for the user's own workers
        iterator = begun(loader)
        iterator.switch(LoaderSettings(2))
        seen = [next(iterator), next(iterator)]
        kill_hidden(iterator)
        for _ in range(10):
            signal.raise_signal(signal.SIGCHLD)
        seen += iterator
        self.assertIn("DataLoader worker", str(iterator.failure))
        self.assertEqual([batch[1].tolist() for batch in seen], [batch[1].tolist() for batch in loader])

    def test_a_killed_worker_of_the_user(self) -> None:
        for wrap in (iter, begun):
            iterator = wrap(DataLoader(Numbers(400), 2, num_workers=2))
            with self.assertRaisesRegex(RuntimeError, "DataLoader worker"):
                for step, _ in enumerate(iterator):
                    time.sleep(0.002)
                    if step == 3:
                        kill_one()
            del iterator

    def test_a_loop_that_is_left(self) -> None:
        stderr = io.StringIO()
        with redirect_stderr(stderr):
            for persistent in (False, True):
                loader = DataLoader(Numbers(40), 2, num_workers=2, persistent_workers=persistent)
                for step, _ in enumerate(SwitchableLoader(loader)):
                    if step == 3:
                        break
                self.assertEqual(wait_for_workers_to_end(), [])
            iterator = begun(DataLoader(Numbers(40), 2, num_workers=1))
            iterator.switch(LoaderSettings(2, 4))
            next(iterator)
            self.assertEqual(len(multiprocessing.active_children()), 1)
            hidden = iterator._epochs.workers
            self.assertTrue(all(map(is_alive, hidden)))
            del iterator
            wait_until(lambda: not any(map(is_alive, hidden)))
            self.assertEqual(wait_for_workers_to_end(), [])
        self.assertEqual(stderr.getvalue(), "")


class NotSwitchable(Quiet):
    def test_reasons(self) -> None:
        class Stream(IterableDataset):
            def __iter__(self) -> Iterator[int]:
                return iter(range(3))

        class Own(DataLoader):
            def __iter__(self) -> Iterator[Any]:
                yield from super().__iter__()

        class Stateful(DataLoader):
            def state_dict(self) -> dict[str, Any]:
                return {}

        class StatefulSampler(SequentialSampler):
            def state_dict(self) -> dict[str, Any]:
                return {}

        class Repeating(DataLoader):
            def __init__(self, generator: Optional[torch.Generator] = None) -> None:
                super().__init__(data, batch_sampler=itertools.cycle([[0], [1]]), generator=generator)

            def __len__(self) -> int:
                return 2

        data = Numbers(4)
        for loader, reason in (
            (Repeating(), "starts again"),
            ([1, 2], "list is not"),
            (DataLoader(Stream()), "iterable"),
            (DataLoader(torch.utils.data.datapipes.map.SequenceWrapper([1, 2])), "DataPipe"),
            (Own(data), "__iter__"),
            (Stateful(data), "state_dict"),
            (DataLoader(data, sampler=StatefulSampler(data)), "StatefulSampler"),
        ):
            self.assertIn(reason, why_not_switchable(loader))
        self.assertIsNone(why_not_switchable(Own(data), within=True))
        self.assertIsNone(why_not_switchable(Repeating(torch.Generator())))
        self.assertIsNone(why_not_switchable(DataLoader(data, batch_sampler=iter([[0], [1]]))))
        self.assertIsNone(why_not_switchable(DataLoader(data, batch_size=None, num_workers=2)))

    def test_a_sampler_that_draws_batch_by_batch(self) -> None:
        loader = SwitchableLoader(DataLoader(Numbers(30), batch_sampler=DrawnBatches(30)))
        iterator = iter(loader)
        next(iterator)
        loader.switch(LoaderSettings(2))
        next(iterator)
        self.assertIn("for each batch", str(iterator.failure))
        self.assertEqual(iter(loader).settings, LoaderSettings(0))

    def test_a_sampler_that_begins_to_draw_during_a_trial(self) -> None:
        loader = DataLoader(Numbers(40), 2, sampler=LateDrawing(range(40)))
        iterator = begun(loader)
        iterator._epochs.is_audited = True  # makes a trial hand out batches at once
        seen = [next(iterator)]
        iterator.switch(LoaderSettings(1))
        seen += itertools.islice(iterator, 9)
        self.assertEqual(iterator.settings.num_workers, 1)
        iterator.switch(LoaderSettings(2))
        seen += iterator
        self.assertEqual([batch[1].tolist() for batch in seen], [batch[1].tolist() for batch in loader])
        self.assertIsNone(iterator.failure)  # because the training process asks the sampler when a batch is due


def is_alive(process: int) -> bool:
    try:
        with open(f"/proc/{process}/stat") as status:
            return status.read().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def kill_hidden(iterator: SwitchableIterator) -> None:
    worker = iterator._epochs.workers[0]
    os.kill(worker, signal.SIGKILL)
    wait_until(lambda: not is_alive(worker))


def kill_one() -> None:
    os.kill(multiprocessing.active_children()[0].pid, signal.SIGKILL)
    time.sleep(0.3)  # PyTorch receives the signal here


if __name__ == "__main__":
    for option in ("--plans", "--seed"):
        if option in sys.argv:
            at = sys.argv.index(option)
            globals()[option[2:].upper()] = int(sys.argv[at + 1])
            del sys.argv[at : at + 2]
    print(f"switching_test.py --plans {PLANS} --seed {SEED}; torch {torch.__version__}", file=sys.stderr)
    unittest.main()
