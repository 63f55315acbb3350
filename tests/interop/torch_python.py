#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Tests of the Python side of the PyTorch engine that need no feedrate: the sampler, the simulated pinned memory, the step on a GPU
(with a stand-in for torch.cuda that keeps a log), and the texts of failures.

    torch_python.py <source folder>

Exits 77 without torch.
"""
import collections
import dataclasses
import io
import json
import multiprocessing
import os
import pathlib
import socket
import subprocess
import sys
import tempfile
import threading
import time
import types
import unittest
import warnings
from unittest import mock

SOURCE = pathlib.Path(sys.argv[1])
sys.path.insert(0, str(SOURCE / "python"))
try:
    import torch
except ImportError as error:
    print(f"skipped: {sys.executable}: {error}; needs torch")
    sys.exit(77)

from feedrate import (
    batches, child, cuda_trainer, device_step, failures, images, loading, own_step, points, records, sequences, simulated_accelerator,
)
from feedrate.channel import Channel
from feedrate.job import CudaJob, LoaderJob


def loader_job(**changes):
    values = dict(batch_size=4, num_workers=0, prefetch_factor=2, persistent_workers=False, pin_memory=False, shuffle=False,
                  drop_last=False, in_order=True, seed=5, timeout=0, multiprocessing_context=None,
                  sharing_strategy="file_descriptor")
    return LoaderJob(**{**values, **changes})


class ExactEpochs(unittest.TestCase):
    def batches(self, records, epoch, count, **changes):
        sampler = loading.ExactEpochs(records, loader_job(**changes))
        sampler.begin(epoch, count)
        return list(sampler)

    def test_fewer_batches_than_an_epoch(self):
        self.assertEqual(self.batches(10, 0, 1), [[0, 1, 2, 3]])

    def test_more_batches_continue_with_the_next_epoch(self):
        self.assertEqual(self.batches(6, 0, 3), [[0, 1, 2, 3], [4, 5], [0, 1, 2, 3]])
        self.assertEqual(self.batches(6, 0, 3, drop_last=True), [[0, 1, 2, 3]] * 3)

    def test_each_epoch_has_the_order_of_its_own_seed(self):
        flat = [index for batch in self.batches(6, 2, 4, shuffle=True) for index in batch]
        orders = [torch.randperm(6, generator=torch.Generator().manual_seed(5 + epoch)).tolist() for epoch in (2, 3)]
        self.assertEqual(flat, orders[0] + orders[1])

    def test_a_second_pass_is_the_same(self):
        sampler = loading.ExactEpochs(9, loader_job(shuffle=True))
        sampler.begin(1, 5)
        self.assertEqual(list(sampler), list(sampler))


class Counting(torch.utils.data.Dataset):
    def __init__(self, records):
        self.records, self.loaded = records, []

    def __len__(self):
        return self.records

    def __getitem__(self, index):
        self.loaded.append(index)
        return torch.full((3,), float(index)), index


class CachedFeed(unittest.TestCase):
    def test_one_batch_is_loaded_and_yielded_repeatedly(self):
        dataset = Counting(10)
        feed = loading.open_feed(loading.Workload(dataset), loader_job(cached=True))
        for epoch in range(2):
            given = list(feed.begin(epoch, 3))
            self.assertEqual([labels.tolist() for _, labels in given], [[0, 1, 2, 3]] * 3)
            self.assertEqual([feed.samples(batch) for batch in given], [4] * 3)
        self.assertEqual(dataset.loaded, [0, 1, 2, 3])

    def test_the_batch_is_full_even_of_fewer_records(self):
        feed = loading.open_feed(loading.Workload(Counting(3)), loader_job(cached=True))
        self.assertEqual(next(feed.begin(0, 1))[1].tolist(), [0, 1, 2, 0])

    def test_of_an_iterable_dataset_it_is_the_first(self):
        class Stream(torch.utils.data.IterableDataset):
            def __iter__(self):
                return iter(torch.arange(9.0))

        feed = loading.open_feed(loading.Workload(Stream()), loader_job(cached=True))
        self.assertEqual([batch.tolist() for batch in feed.begin(0, 2)], [[0, 1, 2, 3]] * 2)

    def test_the_batch_is_pinned_where_batches_are(self):
        simulated_accelerator.install()
        feed = loading.open_feed(loading.Workload(Counting(10)), loader_job(cached=True, pin_memory=True))
        self.assertTrue(all(simulated_accelerator.is_pinned(tensor) for tensor in next(feed.begin(0, 1))))


class Strategies(torch.utils.data.Dataset):
    """Each sample shows the sharing strategy of the worker that loads it."""

    def __len__(self):
        return 4

    def __getitem__(self, index):
        return {"file_descriptor": 0, "file_system": 1}[torch.multiprocessing.get_sharing_strategy()]


def start_as_asked(worker_id):
    os.environ["FEEDRATE_TEST_WORKER"] = str(worker_id)


class SharingStrategy(unittest.TestCase):
    def test_workers_that_were_not_forked_send_by_it_too(self):
        for method in ("fork", "spawn"):
            options = loader_job(num_workers=1, multiprocessing_context=method, sharing_strategy="file_system")
            feed = loading.open_feed(loading.Workload(Strategies(), worker_init_fn=start_as_asked), options)
            self.assertEqual(next(feed.begin(0, 1)).tolist(), [1] * 4, method)


class StartMethod(unittest.TestCase):
    def start_method(self, **changes):
        iterator = loading.open_feed(loading.Workload(Counting(4)), loader_job(num_workers=1, **changes)).begin(0, 1)
        next(iterator)
        return iterator._workers[0]._popen.method

    def set_default(self, method):  # forkserver is Python's default since 3.14
        multiprocessing.set_start_method(method, force=True)
        self.addCleanup(multiprocessing.set_start_method, None, force=True)

    def test_the_default_is_the_interpreters(self):
        for method in ("fork", "forkserver"):
            self.set_default(method)
            self.assertEqual(self.start_method(), method)
            self.assertEqual(self.start_method(multiprocessing_context="spawn"), "spawn")

    def test_a_probe_reports_the_default(self):
        self.set_default("forkserver")
        channel = FakeChannel()
        child._probe({"modules": {}}, channel)
        self.assertEqual(channel.sent, [("probed", {"modules": {}, "missing": {}, "start_method": "forkserver"})])


class Probe(unittest.TestCase):
    def test_a_missing_module_of_a_format_is_reported_with_the_cure(self):
        channel = FakeChannel()
        child._probe({"modules": {"torch": "torch"}, "format_modules": {"json": "json", "not_there": "not-there"}}, channel)
        probed = channel.sent[0][1]
        self.assertEqual(sorted(probed["modules"]), ["json", "torch"])
        self.assertEqual(list(probed["missing"]), ["not_there"])
        self.assertIn("pip install not-there", probed["missing"]["not_there"])

    def test_any_other_ends_it(self):
        with self.assertRaisesRegex(failures.Mistake, "pip install not-there"):
            child._probe({"modules": {"not_there": "not-there"}}, FakeChannel())


class Zarr(unittest.TestCase):
    def test_format_3_needs_zarr_3(self):
        with tempfile.TemporaryDirectory() as folder, mock.patch.dict(sys.modules, zarr=types.SimpleNamespace(__version__="2.18.7")):
            pathlib.Path(folder, "zarr.json").touch()
            with self.assertRaisesRegex(failures.Mistake, "format 3, which zarr 2.18.7 does not read; .* -m pip install 'zarr>=3'"):
                records.open_source(folder, "zarr")


class Sockets(unittest.TestCase):
    def folder_of(self, package):
        script = ("import sys; sys.path.insert(0, sys.argv[1]); from feedrate import sockets; "
                  "sockets.keep_sockets_in(sys.argv[2]); print(sockets.multiprocessing.util.get_temp_dir())")
        command = [sys.executable, "-c", script, SOURCE / "python", package]
        return pathlib.Path(subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip())

    def test_are_in_the_folder_that_is_removed_with_the_package(self):
        with tempfile.TemporaryDirectory() as package:
            self.assertEqual(self.folder_of(pathlib.Path(package)).parent, pathlib.Path(package))

    def test_are_elsewhere_if_their_paths_would_be_too_long(self):
        with tempfile.TemporaryDirectory() as folder:
            package = pathlib.Path(folder) / ("long" * 20)
            package.mkdir()
            self.assertEqual(self.folder_of(package).parent, pathlib.Path(tempfile.gettempdir()))


class LengthGrouped(unittest.TestCase):
    def test_pools_are_sorted_from_long_to_short_and_the_longest_of_all_comes_first(self):
        order = loading.LengthGrouped(range(10), [3, 9, 1, 7, 5, 8, 2, 6, 4, 10], 1)  # the same values as in group_by_length_test.cpp
        self.assertEqual(list(order), [9, 0, 3, 2, 5, 4, 7, 6, 1, 8])
        self.assertEqual(len(order), 10)

    def test_equals_stay_in_their_order(self):
        lengths = [i % 3 for i in range(400)]  # the same values as in group_by_length_test.cpp
        pools = [range(begin, begin + 50) for begin in range(0, 400, 50)]
        expected = [i for pool in pools for length in (2, 1, 0) for i in pool if i % 3 == length]
        self.assertEqual(list(loading.LengthGrouped(range(400), lengths, 1)), expected)

    def test_batches_of_an_epoch_are_grouped(self):
        sampler = loading.ExactEpochs(5, loader_job(batch_size=2), [1, 5, 2, 4, 3])
        sampler.begin(0, 3)
        self.assertEqual(list(sampler), [[1, 0], [3, 2], [4]])


class Pad(unittest.TestCase):
    SAMPLES = [(torch.tensor([1, 2, 3], dtype=torch.int32), 7), (torch.tensor([4], dtype=torch.int32), -1)]

    def test_to_the_longest_of_the_batch(self):
        batch = sequences.Pad(5, "longest")(self.SAMPLES)
        self.assertEqual(batch["input_ids"].tolist(), [[1, 2, 3], [4, 0, 0]])
        self.assertEqual(batch["input_ids"].dtype, torch.int32)
        self.assertEqual(batch["labels"].tolist(), [7, -1])
        self.assertEqual(sequences.count_tokens(batch), (4, 6))

    def test_to_a_fixed_length(self):
        batch = sequences.Pad(5, "max_length")(self.SAMPLES)
        self.assertEqual(batch["input_ids"].tolist(), [[1, 2, 3, 0, 0], [4, 0, 0, 0, 0]])


class Sequences(unittest.TestCase):
    def test_a_record_that_is_no_sequence_is_named(self):
        for size in (0, 5):
            source = types.SimpleNamespace(read=lambda index: (io.BytesIO(bytes(size)), 5), name=lambda index: f"record {index}")
            with self.assertRaisesRegex(ValueError, f"record 0: {size} bytes are not a sequence of tokens"):
                sequences.Sequences(source, 64)[0]


class Points(unittest.TestCase):
    def test_a_sample_is_points_of_the_cloud(self):
        cloud = torch.arange(30, dtype=torch.float32).view(10, 3)
        source = types.SimpleNamespace(read=lambda index: (io.BytesIO(cloud.numpy().tobytes()), 5), name=str)
        sample, label = points.Points(source, 64)[0]
        self.assertEqual((sample.shape, label), ((64, 3), 5))
        self.assertTrue(all(point in cloud.tolist() for point in sample.tolist()))
        self.assertGreater(len({tuple(point) for point in sample.tolist()}), 5)

    def test_a_record_that_is_no_cloud_is_named(self):
        source = types.SimpleNamespace(read=lambda index: (io.BytesIO(bytes(13)), 5), name=lambda index: f"record {index}")
        with self.assertRaisesRegex(ValueError, "record 0: 13 bytes are not a point cloud"):
            points.Points(source, 64)[0]


class BlockCache(unittest.TestCase):
    def test_a_copy_is_equal_and_page_aligned_and_rounded_up(self):
        cache = simulated_accelerator.BlockCache()
        for source in (torch.arange(3000.0).reshape(3, 1000).T, torch.zeros(2, 3, 5, 5).to(memory_format=torch.channels_last),
                       torch.tensor(7), torch.tensor([True, False])):
            copy = cache.copy(source)
            self.assertTrue(torch.equal(copy, source))
            self.assertEqual(copy.dtype, source.dtype)
            self.assertEqual(copy.data_ptr() % 4096, 0)
            self.assertTrue(cache.holds(copy))
            self.assertFalse(cache.holds(source))
        self.assertEqual(cache.total_bytes, 16384 + 2 * 4096)  # the second small block reuses the first one

    def test_memory_is_used_again_only_when_its_last_view_is_gone(self):
        cache = simulated_accelerator.BlockCache()
        first = cache.copy(torch.ones(4096))
        view = first[7]
        del first
        second = cache.copy(torch.zeros(4096))
        self.assertEqual(view.item(), 1)
        self.assertEqual(cache.total_bytes, 2 * 16384)
        del view, second
        kept = [cache.copy(torch.zeros(4096)) for _ in range(2)]
        self.assertEqual((len(kept), cache.total_bytes), (2, 2 * 16384))

    def test_dataloader_pins_by_it_in_its_own_thread_and_nobody_else_sees_a_gpu(self):
        before = torch.cuda.is_available()
        simulated_accelerator.install()
        self.assertEqual(torch.cuda.is_available(), before)
        dataset = [(torch.full((3,), float(i)), i) for i in range(8)]
        for workers in (0, 1):
            loader = torch.utils.data.DataLoader(dataset, batch_size=4, num_workers=workers, pin_memory=True)
            iterator = iter(loader)
            self.assertEqual(hasattr(iterator, "_pin_memory_thread"), workers > 0)
            for values, labels in iterator:
                self.assertTrue(simulated_accelerator.is_pinned(values) and simulated_accelerator.is_pinned(labels))
                self.assertEqual(values[:, 0].tolist(), labels.tolist())


class Batches(unittest.TestCase):
    def test_tensors_are_found_wherever_they_are(self):
        own = types.SimpleNamespace(x=torch.zeros(2), to=None)
        found = list(batches.tensors({"a": [torch.zeros(1), ("text", torch.zeros(3))], "b": own, "c": 7, "d": b"bytes"}))
        self.assertEqual([len(tensor) for tensor in found], [1, 3, 2])
        self.assertEqual(batches.bytes_of(found), 24)

    def test_tensors_of_a_dataclass_are_found_and_moved(self):
        @dataclasses.dataclass(frozen=True)
        class Batch:
            images: torch.Tensor
            labels: list
            later: int = dataclasses.field(init=False)

        batch = Batch(torch.zeros(2), [torch.zeros(3)])
        self.assertEqual([len(tensor) for tensor in batches.tensors(batch)], [2, 3])
        other = batches.moved(batch, lambda tensor: tensor + 1)
        self.assertEqual((other.images.tolist(), other.labels[0].tolist(), type(other)), ([1, 1], [1, 1, 1], Batch))
        self.assertEqual(batch.images.tolist(), [0, 0])

    def test_none_is_a_mistake(self):
        with self.assertRaisesRegex(failures.Mistake, "have no tensors"):
            batches.tensors_of(["a", 7])


class FakeCuda:
    """Keeps a log; an event's time is its index in the log, in milliseconds, and sleeping takes 1 ms for 1000 cycles."""

    def __init__(self):
        self.log, self.now, self.context = [], 0.0, None

    def set_device(self, index):
        self.log.append(f"device {index}")

    def current_stream(self):
        return FakeStream(self, "default")

    def Stream(self):
        return FakeStream(self, "side")

    def Event(self, enable_timing):
        return FakeEvent(self)

    def stream(self, stream):
        cuda = self

        class Context:
            def __enter__(self):
                cuda.context = stream.name

            def __exit__(self, *_):
                cuda.context = None

        return Context()

    def _sleep(self, cycles):
        self.log.append(f"sleep {cycles}")
        self.now += cycles / 1000

    def synchronize(self):
        self.log.append("synchronize")


class FakeStream:
    def __init__(self, cuda, name):
        self.cuda, self.name = cuda, name

    def wait_event(self, event):
        self.cuda.log.append(f"{self.name} waits for {event.name}")

    def synchronize(self):
        self.cuda.log.append(f"{self.name} synchronize")


class FakeEvent:
    def __init__(self, cuda):
        self.cuda, self.time, self.name, self.done = cuda, None, "?", False

    def record(self, stream=None):
        self.time, self.name = self.cuda.now, f"event on {stream.name if stream else 'default'}"

    def synchronize(self):
        self.cuda.log.append("event synchronize")

    def query(self):
        return self.done

    def elapsed_time(self, other):
        return other.time - self.time


class FakeTensor:
    def __init__(self, cuda, size=0):
        self.cuda, self.size = cuda, size

    def element_size(self):
        return 1

    def numel(self):
        return self.size

    def to(self, device, non_blocking):
        self.cuda.log.append(f"copy to {device} on {self.cuda.context}{' non_blocking' if non_blocking else ''}")
        self.cuda.now += 1
        return self

    def record_stream(self, stream):
        self.cuda.log.append(f"record_stream {stream.name}")


class FakeChannel:
    def __init__(self):
        self.sent = []

    def send(self, event, **fields):
        self.sent.append((event, fields))


class Messages(unittest.TestCase):
    def test_text_that_is_no_utf8_is_still_json(self):
        here, there = socket.socketpair()
        channel = Channel(here.detach())
        channel.send("warning", text=b"caf\xe9 \xc3\xa9".decode(errors="surrogateescape"))
        received = there.recv(1000)
        there.close()
        self.assertEqual(json.loads(received.decode()), {"event": "warning", "text": "caf? \u00e9"})

    def test_lines_of_two_threads_do_not_mix(self):
        here, there = socket.socketpair()
        channel = Channel(here.detach())
        lines = [chr(ord("a") + i) * 300_000 for i in range(4)]  # more than the socket's buffer holds
        threads = [threading.Thread(target=channel.send, args=("warning",), kwargs={"text": line}) for line in lines]
        for thread in threads:
            thread.start()
        with there, there.makefile() as received:
            texts = [json.loads(received.readline())["text"] for _ in lines]
        for thread in threads:
            thread.join()
        self.assertEqual(sorted(texts), lines)


class CudaTrainer(unittest.TestCase):
    def setUp(self):
        self.cuda, self.channel = FakeCuda(), FakeChannel()
        for name in ("tensors_of", "tensors"):
            self.addCleanup(setattr, cuda_trainer, name, getattr(cuda_trainer, name))
            setattr(cuda_trainer, name, lambda batch: batch)

    def trainer(self, normalize=None, **changes):
        values = dict(device=1, non_blocking=False, side_stream=False, sync_every=0, host_overhead_ns=0, steps_ns=[4_000_000],
                      reference_batch=4, run_ahead=2)
        options = CudaJob(**{**values, **changes})
        compute = cuda_trainer.TimedCompute(options, device_step.sleep(self.cuda), normalize)
        trainer = cuda_trainer.CudaTrainer(self.channel, options, self.cuda, compute)
        self.cuda.log.clear()
        return trainer

    def step(self, trainer, samples=4, tensors=1):
        trainer.train(0, 0, trainer.copy([FakeTensor(self.cuda)] * tensors, samples))

    def test_the_step_scales_with_the_samples(self):
        trainer = self.trainer()
        self.step(trainer, 4, tensors=2)
        self.step(trainer, 2)
        self.assertEqual(self.cuda.log, ["copy to cuda:1 on default"] * 2 + ["sleep 4000", "copy to cuda:1 on default", "sleep 2000"])

    def test_the_steps_of_a_trace_follow_each_other_and_begin_again(self):
        trainer = self.trainer(steps_ns=[4_000_000, 8_000_000])
        for samples in (4, 4, 2):
            self.step(trainer, samples)
        self.assertEqual([line for line in self.cuda.log if line.startswith("sleep")], ["sleep 4000", "sleep 8000", "sleep 2000"])

    def test_the_step_scales_with_the_tokens_and_not_with_the_labels(self):
        tokens = FakeTensor(self.cuda, 2 * 16 * 4)
        labels = FakeTensor(self.cuda, 2 * 8)
        trainer = self.trainer(reference_batch=4 * 16, unit_bytes=4, label_bytes=8)
        trainer.train(0, 0, trainer.copy([tokens, labels], 2))
        self.assertEqual(self.cuda.log[-1], "sleep 2000")  # 32 of 64 tokens

    def test_the_host_waits_every_so_many_steps(self):
        trainer = self.trainer(sync_every=2)
        for _ in range(4):
            self.step(trainer)
        self.assertEqual(self.cuda.log.count("default synchronize"), 2)

    def test_a_side_stream_copies_concurrently_and_the_step_waits_for_it(self):
        trainer = self.trainer(side_stream=True, non_blocking=True)
        self.step(trainer)
        self.assertEqual(self.cuda.log, ["copy to cuda:1 on side non_blocking", "default waits for event on side",
                                         "record_stream default", "sleep 4000"])

    def test_batches_are_sent_ahead_of_their_steps_and_none_is_left_out(self):
        trainer = self.trainer(side_stream=True, device_prefetch=1, sync_every=2)
        for samples in (4, 2, 4):
            self.step(trainer, samples)
        work = [line for line in self.cuda.log if line.startswith(("copy", "sleep", "default synchronize"))]
        copy = "copy to cuda:1 on side"
        self.assertEqual(work, [copy, copy, "sleep 4000", copy, "sleep 2000", "default synchronize"])
        trainer.finish()
        self.assertEqual([line for line in self.cuda.log if line.startswith("sleep")], ["sleep 4000", "sleep 2000", "sleep 4000"])
        (_, marks), (_, spans) = self.channel.sent
        self.assertEqual((len(marks["marks"]), len(spans["spans"])), (3, 3))

    def test_non_blocking_copies_run_ahead_up_to_a_limit(self):
        trainer = self.trainer(non_blocking=True)
        for _ in range(5):
            self.step(trainer)
        self.assertEqual(self.cuda.log.count("event synchronize"), 3)

    def test_marks_are_those_of_the_window_and_spans_those_of_all_steps(self):
        trainer = self.trainer()
        self.step(trainer)
        trainer.begin_window()
        self.step(trainer)
        trainer.finish()
        (_, marks), (_, spans) = self.channel.sent
        self.assertEqual(len(marks["marks"]), 1)
        self.assertEqual(len(spans["spans"]), 2)
        copy_begin, copy_end, compute_begin, compute_end = spans["spans"][1]
        self.assertEqual((copy_end - copy_begin, compute_end - compute_begin), (1_000_000, 4_000_000))

    def test_images_that_crossed_as_bytes_are_normalized_as_a_part_of_the_step(self):
        images, labels = FakeTensor(self.cuda), FakeTensor(self.cuda)

        def normalize(tensor):
            self.cuda.log.append("normalize the images" if tensor is images else "normalize what is no image")
            self.cuda.now += 1
            return tensor

        trainer = self.trainer(normalize)
        trainer.train(0, 0, trainer.copy([images, labels], 4))
        self.assertEqual(self.cuda.log[-2:], ["normalize the images", "sleep 4000"])
        trainer.finish()
        (_, _), (_, spans) = self.channel.sent  # no warning, although more than the step was requested
        self.assertEqual(spans["spans"][0][3] - spans["spans"][0][2], 5_000_000)

    def test_the_child_normalizes_on_the_gpu_only_if_the_job_says_so(self):
        calls = []
        usual = cuda_trainer.make_normalize
        cuda_trainer.make_normalize = lambda *values: calls.append(values) or "normalize"
        self.addCleanup(setattr, cuda_trainer, "make_normalize", usual)
        values = {"mean": [0.5] * 3, "std": [0.25] * 3}
        for normalize, expected in ((None, None), (values, "normalize")):
            job = types.SimpleNamespace(trainer="cuda", cuda=CudaJob(1, False, False, 0, 0, 4_000_000, 4, 2, normalize=normalize))
            trainer = child._make_trainer(job, self.channel, types.SimpleNamespace(cuda=self.cuda))
            self.assertEqual(trainer._compute._normalize, expected)
        self.assertEqual(calls, [(values, "cuda:1")])

    def test_a_step_of_the_users_own_gets_the_batch_as_it_was_with_its_tensors_moved(self):
        Pair = collections.namedtuple("Pair", "image label")
        got = []
        options = CudaJob(device=1, non_blocking=True, side_stream=False, sync_every=1, host_overhead_ns=0, steps_ns=[], reference_batch=1,
                          run_ahead=2)
        trainer = cuda_trainer.CudaTrainer(self.channel, options, self.cuda, own_step.OwnCompute(got.append))
        image = torch.ones(2)
        with mock.patch.object(torch.Tensor, "to", lambda tensor, device, non_blocking: (tensor.sum().item(), device, non_blocking)):
            trainer.train(0, 0, trainer.copy({"pair": Pair(image, [image]), "name": "x"}, 2))
        there = (2.0, "cuda:1", True)
        self.assertEqual(got, [{"pair": Pair(there, [there]), "name": "x"}])
        trainer.finish()  # no warning, because no duration was requested
        self.assertEqual([event for event, _ in self.channel.sent], ["marks", "spans"])

    def test_bytes_are_normalized_as_the_workers_do_it(self):
        mean, std = [0.4, 0.5, 0.6], [0.2, 0.25, 0.3]
        images = torch.arange(2 * 3 * 16 * 16).remainder(256).to(torch.uint8).view(2, 3, 16, 16)
        floats = cuda_trainer.make_normalize({"mean": mean, "std": std}, "cpu")(images)
        self.assertEqual(floats.dtype, torch.float32)
        for channel in range(3):
            expected = (images[:, channel].double() / 255 - mean[channel]) / std[channel]
            self.assertTrue(torch.allclose(floats[:, channel].double(), expected, atol=1e-5))

    def test_steps_of_another_duration_than_requested_are_reported(self):
        trainer = self.trainer()
        trainer._compute._step = lambda nanoseconds: self.cuda._sleep(round(nanoseconds / 900))
        self.step(trainer)
        trainer.finish()
        self.assertEqual([event for event, _ in self.channel.sent], ["marks", "spans", "warning"])
        self.assertIn("1.111 times", self.channel.sent[-1][1]["text"])


class DeviceStep(unittest.TestCase):
    def test_cycles_are_counted_once_the_clocks_have_come_up(self):
        cuda = FakeCuda()
        slow, usual = [3.0, 2.0, 1.5], cuda._sleep  # of the first calls, whose clock is that much slower

        def sleep(cycles):
            usual(cycles * (slow.pop(0) if slow else 1.0))

        cuda._sleep = sleep
        self.assertAlmostEqual(device_step.sleep_cycles_per_ns(cuda), 1e-3)

    def torch_that_compiles(self, compile_kernel, cuda=None):
        """A stand-in for torch without a GPU; `compile_kernel` makes the kernel."""
        cuda = cuda or FakeCuda()
        cuda._compile_kernel = compile_kernel
        cuda.get_device_properties = lambda device: types.SimpleNamespace(
            multi_processor_count=132, max_threads_per_multi_processor=2048)
        return types.SimpleNamespace(int64=torch.int64, tensor=lambda values, dtype, device: (values, device), cuda=cuda,
                                     __file__=torch.__file__)

    def made_step(self, took):
        """Makes the step by a kernel that takes `took` ms per requested ms; returns the stand-in's log and the warnings."""
        messages, cuda = [], FakeCuda()

        def kernel(grid, block, arguments):
            cuda.log.append("burn")
            cuda.now += took * (arguments[0] * 1e3 + arguments[1] / 1e6)

        with tempfile.NamedTemporaryFile("w") as source, mock.patch.object(device_step, "BURN", pathlib.Path(source.name)):
            name, step = device_step.make_step(self.torch_that_compiles(lambda source, name: kernel, cuda), 0, messages.append)
        step(1000)
        return name, cuda.log, messages

    def test_the_burn_kernel_is_that_of_the_native_engine(self):
        launched = []

        def compile_kernel(source, name):
            self.assertIn("burn_until_over", source)
            self.assertIn(f"{name}(int seconds, int nanoseconds, BurnState* state)", source)
            return lambda grid, block, arguments: launched.append((grid, block, arguments))

        fake = self.torch_that_compiles(compile_kernel)
        step = device_step.burn(fake, 1, (SOURCE / "device/cuda/burn.cuh").read_text())
        step(4_000_000.25)
        step(3_000_000_007.0)
        state = ([-1, 0], "cuda:1")
        self.assertEqual(launched, [((1056, 1, 1), (256, 1, 1), [0, 4_000_000, state]), ((1056, 1, 1), (256, 1, 1), [3, 7, state])])
        self.assertEqual({type(number) for _, _, arguments in launched for number in arguments[:2]}, {int})

    def test_a_burn_of_the_right_length_is_the_step(self):
        for took in (1.0, 1.01):
            name, log, messages = self.made_step(took)
            self.assertEqual((name, log[-1], messages), ("burn, compiled by NVRTC", "burn", []))

    def test_a_burn_of_another_length_is_no_step(self):
        for took in (0.0, 0.9, 1.1):
            name, log, messages = self.made_step(took)
            self.assertEqual((name, log[-1]), ("torch.cuda._sleep()", "sleep 1"))
            self.assertEqual(len(messages), 1)
            self.assertIn("instead of 5.000 ms", messages[0])

    def test_without_a_compiler_the_step_is_a_sleep_and_says_so(self):
        messages, cuda = [], FakeCuda()
        _, step = device_step.make_step(types.SimpleNamespace(cuda=cuda), 0, messages.append)
        step(1000)
        self.assertEqual(cuda.log[-1], "sleep 1")
        self.assertEqual(len(messages), 1)
        self.assertIn("torch.cuda._sleep()", messages[0])

    def test_the_child_reports_the_kind_of_step(self):
        cuda = CudaJob(device=0, non_blocking=False, side_stream=False, sync_every=0, host_overhead_ns=0, steps_ns=[1],
                       reference_batch=1, run_ahead=1)
        channel = FakeChannel()
        child._make_trainer(types.SimpleNamespace(trainer="cuda", cuda=cuda), channel, types.SimpleNamespace(cuda=FakeCuda()))
        self.assertEqual(channel.sent[-1], ("device_step", {"name": "torch.cuda._sleep()"}))

    def test_the_burn_compiles_without_a_toolkit(self):
        try:
            from torch.cuda._utils import _get_nvrtc_library, _nvrtc_compile

            _get_nvrtc_library()
        except (ImportError, OSError, AttributeError) as error:  # AttributeError: a torch that was built without CUDA
            self.skipTest(f"torch {torch.__version__} has no NVRTC here: {error}")
        import torch.utils.cpp_extension as extension

        compiled = []
        fake = self.torch_that_compiles(lambda source, name: compiled.append(_nvrtc_compile(source, name, "90")))
        with mock.patch.object(extension, "CUDA_HOME", None):
            device_step.burn(fake, 0, (SOURCE / "device/cuda/burn.cuh").read_text())
            self.assertIsNone(extension.CUDA_HOME)
        self.assertIn(b"feedrate_burn", compiled[0][0])


class Damaged(unittest.TestCase):
    def setUp(self):
        source = types.SimpleNamespace(read=lambda index: (io.BytesIO(b"no image"), 0), name=lambda index: f"{index}.jpg")
        self.dataset = images.ImageRecords(source, lambda image: torch.zeros(3), "zeros")

    def test_one_warning_covers_all(self):
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            for index in range(5):
                self.dataset[index]
            self.dataset.warn_of_replaced()
            self.dataset.warn_of_replaced()
        self.assertEqual(len(caught), 1)
        self.assertRegex(str(caught[0].message), "^5 damaged images were replaced by zeros, the first of them 0.jpg: ")

    def test_a_worker_warns_of_its_own_images_on_stderr(self):
        with tempfile.TemporaryFile() as output:
            usual = os.dup(2)
            os.dup2(output.fileno(), 2)
            try:
                list(torch.utils.data.DataLoader(self.dataset, sampler=range(5), num_workers=1))
            finally:
                os.dup2(usual, 2)
                os.close(usual)
            output.seek(0)
            text = output.read().decode()
        self.assertEqual(text.count("Warning: "), 1, text)
        self.assertIn("5 damaged images were replaced by zeros, the first of them 0.jpg: ", text)


class Failures(unittest.TestCase):
    def describe(self, call):
        try:
            call()
        except Exception as error:
            return failures.describe(error)

    def test_a_workers_exception_is_headed_by_what_happened(self):
        class Spoilt(torch.utils.data.Dataset):
            def __len__(self):
                return 4

            def __getitem__(self, index):
                raise ValueError("spoilt")

        described = self.describe(lambda: next(iter(torch.utils.data.DataLoader(Spoilt(), num_workers=1))))
        self.assertEqual(described["headline"], "ValueError: spoilt (in DataLoader worker process 0)")
        self.assertIn("in __getitem__", described["traceback"])

    def test_a_full_dev_shm_is_reported_with_the_cure(self):
        def fail():
            raise RuntimeError("unable to write to file </torch_21861_2537698683_0>: No space left on device (28)")

        self.assertRegex(self.describe(fail)["headline"], r"\(28\); out of shared memory: enlarge /dev/shm")

    def test_a_broken_connection_is_headed_by_the_death_of_the_worker(self):
        class Slow(torch.utils.data.Dataset):
            def __len__(self):
                return 1000

            def __getitem__(self, index):
                time.sleep(0.01)
                return torch.zeros(1)

        iterator = iter(torch.utils.data.DataLoader(Slow(), num_workers=1))
        next(iterator)
        [worker] = multiprocessing.active_children()

        def fail():
            raise ConnectionResetError(104, "Connection reset by peer")

        sleep = time.sleep

        def sleep_until_told(seconds):
            worker.kill()
            while True:  # PyTorch's handler raises
                sleep(seconds)

        with mock.patch.object(time, "sleep", sleep_until_told):
            self.assertRegex(self.describe(fail)["headline"], r"DataLoader worker .* is killed by signal")

    def test_an_empty_message_leaves_the_type(self):
        def fail():
            raise KeyError

        self.assertEqual(self.describe(fail)["headline"], "KeyError")


if __name__ == "__main__":
    print(f"torch {torch.__version__}, Python {sys.version.split()[0]}")
    unittest.main(argv=[sys.argv[0]])
