# SPDX-License-Identifier: Apache-2.0
"""The clock of the scripts: what loading, training and the injected cause take, measured without feedrate.

A script marks its loop with start(), batch_arrived() and step_done(), and its last call is report(), which prints one line of JSON. The time
between step_done() and batch_arrived() is loading. `with clock.cause:` measures the cause, in whichever process it is. Functions that make
samples or batches are decorated with @clock.work, so that the cause's share of a worker's time is known. Each process counts in a page
of its own of a shared mapping, so that no lock is needed; workers must be forked for this.

Environment: CAUSES_DATA, the folder of the data that scripts make; CAUSES_SECONDS, how long a script trains; CAUSES_CURED=1, train with
the cure.
"""
from __future__ import annotations

import functools
import json
import mmap
import os
import pathlib
import shutil
import statistics
import sys
import tempfile
import time
from typing import Any, Callable, Iterator, Optional

CURED = os.environ.get("CAUSES_CURED") == "1"
SECONDS = float(os.environ.get("CAUSES_SECONDS", "18"))

PAGE = 4096
PAGES = 4096
BUSY, BUSY_CPU, CAUSE, INTERVALS = range(4)  # of a page's integers; pairs of begin and end follow
MOST_INTERVALS = (PAGE // 8 - 6) // 2
RAN, DELAYED = PAGE // 8 - 2, PAGE // 8 - 1  # nanoseconds of the process's main thread on a CPU, and waiting for one, as the kernel counts

now = time.perf_counter_ns


class Span:
    """Adds the time of a with block, or of a decorated function, to two integers of the process's page."""

    def __init__(self, counts: Any, total: int) -> None:
        self.counts = counts
        self.total = total
        self.begun = self.begun_cpu = 0

    def __enter__(self) -> None:
        if self.total == BUSY:
            self.begun_cpu = time.thread_time_ns()
        self.begun = now()

    def __exit__(self, *_: Any) -> None:
        end = now()
        page = os.getpid() % PAGES * (PAGE // 8)
        self.counts[page + self.total] += end - self.begun
        if self.total == BUSY:
            self.counts[page + BUSY_CPU] += time.thread_time_ns() - self.begun_cpu
            with open("/proc/thread-self/schedstat") as file:
                self.counts[page + RAN], self.counts[page + DELAYED] = map(int, file.read().split()[:2])
            return
        kept = self.counts[page + INTERVALS]
        if kept < MOST_INTERVALS:
            self.counts[page + 4 + 2 * kept] = self.begun
            self.counts[page + 5 + 2 * kept] = end
        self.counts[page + INTERVALS] = kept + 1

    def __call__(self, function: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(function)
        def timed(*arguments: Any, **named: Any) -> Any:
            with self:
                return function(*arguments, **named)

        return timed


class Clock:
    def __init__(self) -> None:
        self.counts = memoryview(mmap.mmap(-1, PAGE * PAGES)).cast("q")
        self.work = Span(self.counts, BUSY)
        self.cause = Span(self.counts, CAUSE)
        self.steps = 0
        self.loading = self.first = self.training = 0
        self.waits: list[tuple[int, int]] = []
        self.is_first = False
        self.begun = self.last = 0

    def start(self) -> None:
        """Called before the first iter() of the loader."""
        self.begun = self.last = now()

    def epoch(self) -> None:
        """Called before each iter(): the wait for the batch that follows is also counted as `first`."""
        self.is_first = True

    def batch_arrived(self) -> None:
        end = now()
        self.loading += end - self.last
        if self.is_first:
            self.first += end - self.last
            self.is_first = False
        self.waits.append((self.last, end))
        self.last = end

    def step_done(self) -> None:
        end = now()
        self.training += end - self.last
        self.last = end
        self.steps += 1

    def is_over(self) -> bool:
        return now() - self.begun > SECONDS * 1e9

    # The cause's share of the step, by what is known of it.

    def all_loading(self) -> float:
        return self.loading / self.total()

    def all_training(self) -> float:
        return self.training / self.total()

    def in_workers(self) -> float:
        """Loading, times the cause's part of the workers' time."""
        return self.all_loading() * self.of(CAUSE) / max(self.of(BUSY), 1)

    def computing_in_workers(self) -> float:
        return self.all_loading() * self.of(BUSY_CPU) / max(self.of(BUSY), 1)

    def waiting_for_cpu(self) -> float:
        """Loading, times the part of the workers' time in which they had no CPU; only if their samples never sleep.

        The clock of the samples knows of quotas, the kernel's count of waits between samples.
        """
        delayed = self.of(DELAYED) / max(self.of(RAN) + self.of(DELAYED), 1)
        return max(self.all_loading() - self.computing_in_workers(), self.all_loading() * delayed)

    def idle_workers(self, workers: int) -> float:
        """Loading, times the part of the workers' time in which they had no work while the busiest one had."""
        busy = [self.counts[page + BUSY] for page in range(0, len(self.counts), PAGE // 8)]
        return self.all_loading() * (1 - sum(busy) / max(workers * max(busy), 1))

    def in_training_thread(self) -> float:
        return self.counts[os.getpid() % PAGES * (PAGE // 8) + CAUSE] / self.total()

    def first_batches(self) -> float:
        return self.first / self.total()

    def seconds_each(self, seconds: float) -> float:
        """A cause that takes so long in each step, at most the loading."""
        return min(self.steps * seconds * 1e9 / self.total(), self.all_loading())

    def loading_beyond(self, seconds: float) -> float:
        """Loading, less so much for each step."""
        return max(0.0, self.all_loading() - self.steps * seconds * 1e9 / self.total())

    def training_beyond(self, seconds: float) -> float:
        """Training, less so much for each step."""
        return max(0.0, self.all_training() - self.steps * seconds * 1e9 / self.total())

    def while_in_cause(self) -> float:
        """Loading during which at least one worker was in the cause."""
        blocked = list(self.intervals())
        overlap = 0
        for begin, end in merged(blocked):
            overlap += sum(max(0, min(end, arrived) - max(begin, left)) for left, arrived in self.waits if arrived > begin and left < end)
        return overlap / self.total()

    def intervals(self) -> Iterator[tuple[int, int]]:
        for page in range(0, len(self.counts), PAGE // 8):
            kept = self.counts[page + INTERVALS]
            if kept > MOST_INTERVALS:
                raise RuntimeError(f"own_clock: {kept} intervals of a cause in one process; at most {MOST_INTERVALS} are kept")
            for k in range(kept):
                yield self.counts[page + 4 + 2 * k], self.counts[page + 5 + 2 * k]

    def of(self, count: int) -> int:
        return sum(self.counts[page + count] for page in range(0, len(self.counts), PAGE // 8))

    def total(self) -> int:
        return max(self.last - self.begun, 1)

    def report(self, cause: Optional[float], line: Optional[str] = None) -> None:
        """Prints the result. `line` is a part of the culprit line, which only this line and the report contain."""
        result = {"steps": self.steps, "seconds": round(self.total() / 1e9, 3), "loading": round(self.all_loading(), 4),
                  "cause": None if cause is None else round(cause, 4), "line": line and find_line(line)}
        print(json.dumps(result), flush=True)


def merged(intervals: list[tuple[int, int]]) -> list[tuple[int, int]]:
    result: list[tuple[int, int]] = []
    for begin, end in sorted(intervals):
        if result and begin <= result[-1][1]:
            result[-1] = (result[-1][0], max(result[-1][1], end))
        else:
            result.append((begin, end))
    return result


def find_line(text: str) -> str:
    script = pathlib.Path(sys.argv[0])
    found = [number for number, line in enumerate(script.read_text().splitlines(), 1) if text in line and "clock.report(" not in line]
    if len(found) != 1:
        raise ValueError(f"{script.name}: {len(found)} lines contain {text!r}; one must")
    return f"{script.name}:{found[0]}"


def data(name: str, write: Callable[[pathlib.Path], None]) -> pathlib.Path:
    """A folder of data that `write` makes once."""
    home = pathlib.Path(os.environ.get("CAUSES_DATA") or pathlib.Path(tempfile.gettempdir(), "causes-data"))
    folder = home / name
    if not folder.is_dir():
        home.mkdir(parents=True, exist_ok=True)
        unfinished = pathlib.Path(tempfile.mkdtemp(prefix=f"{name}-", dir=home))
        try:
            write(unfinished)
            unfinished.rename(folder)
        except BaseException:
            shutil.rmtree(unfinished)
            raise
    return folder


def seconds_to_receive(batch: Any, times: int = 7) -> float:
    """The median time from the arrival of a batch's first bytes to the batch, over a queue as DataLoader's."""
    import torch.multiprocessing

    context = torch.multiprocessing.get_context("fork")
    queue, received = context.Queue(), context.Semaphore(0)

    def send() -> None:
        for _ in range(times):
            queue.put(batch)
            received.acquire()

    sender = context.Process(target=send, daemon=True)
    sender.start()
    taken = []
    for _ in range(times):
        queue._reader.poll(None)
        begun = now()
        queue.get()
        taken.append(now() - begun)
        received.release()
    sender.join()
    return statistics.median(taken) / 1e9


def seconds_of(function: Callable[[], Any], times: int = 30) -> float:
    """The median time of a call."""
    taken = []
    for _ in range(times):
        begun = now()
        function()
        taken.append(now() - begun)
    return statistics.median(taken) / 1e9


def seconds_to_send(batch: Any, times: int = 7) -> float:
    """The median time in which a worker moves a tensor to shared memory."""
    taken = []
    for _ in range(times):
        copy = batch.clone()
        begun = now()
        copy.share_memory_()
        taken.append(now() - begun)
    return statistics.median(taken) / 1e9


def skip_without_gpu() -> None:
    """Ends the script if there is no GPU."""
    import torch

    if not torch.cuda.is_available():
        print(json.dumps({"skipped": "this cause needs a GPU, and torch sees none"}), flush=True)
        sys.exit(0)


clock = Clock()
