#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""python/feedrate/own_dataset.py and loading.py: their messages for a user's dataset that cannot be measured."""
import dataclasses
import pathlib
import sys
import tempfile
import unittest

try:
    import torch  # noqa: F401
except ImportError:
    print(f"skipped: {sys.executable} has no torch")
    sys.exit(77)

from feedrate.batches import tensors_of
from feedrate.failures import MissingPackage, Mistake
from feedrate.job import LoaderJob
from feedrate.loading import open_feed
from feedrate.own_dataset import open_own_dataset
from feedrate.own_modules import look_for_modules

MODULE = """
def make(): return [0] * 64
def raising(): raise OSError("no such disk")
def nothing(): return None
def unsized():
    class Unsized:
        def __getitem__(self, index): return 0
    return Unsized()
def empty(): return []
def number(): return 7
def lacking(): import lance
a_number = 7
def first_six(dataset): return range(6)
def of_seven(dataset):
    from torch.utils.data import BatchSampler
    return BatchSampler(range(9), 7, False)
def pairs():
    import torch
    return [torch.tensor([i, i + 1]) for i in (0, 2, 4)]
settings = {}
def batches_of_numbers(dataset, **given):
    import torch
    settings.update(given)
    return [torch.arange(0, 4), torch.arange(4, 8)]
"""
LOADER = LoaderJob(
    batch_size=4, num_workers=0, prefetch_factor=2, persistent_workers=False, pin_memory=False, shuffle=False, drop_last=False,
    in_order=True, seed=0, timeout=0.0, multiprocessing_context=None, sharing_strategy="file_descriptor",
)


class OwnModule(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        (pathlib.Path(folder.name) / "mine.py").write_text(MODULE)
        before = list(sys.path)
        self.addCleanup(lambda: sys.path.__setitem__(slice(None), before))
        look_for_modules([folder.name])
        self.addCleanup(sys.modules.pop, "mine", None)

    def open(self, factory, **more):
        return open_own_dataset({"factory": factory, "collate_fn": None, "worker_init_fn": None, **more})


class Mistakes(OwnModule):
    def test_of_the_configuration_name_the_key_and_the_cure(self):
        mistakes = [
            ("not_there:make", {}, "dataset.torch: no module not_there .* put it next to the configuration"),
            ("mine:not_there", {}, "has no not_there; must be a function of the module"),
            ("mine:a_number", {}, "dataset.torch: mine:a_number is a int; must be a function"),
            ("mine", {}, '"mine" is invalid; must be MODULE:FUNCTION'),
            ("mine:raising", {}, r"dataset.torch: mine:raising\(\) raised OSError: no such disk"),
            ("mine:make", {"args": {"root": "/x"}}, "dataset.args must match its parameters"),
            ("mine:nothing", {}, "mine:nothing returned None; it must return the dataset"),
            ("mine:make", {"collate_fn": "mine:gone"}, "dataset.collate_fn: module mine .* has no gone"),
        ]
        for factory, more, message in mistakes:
            with self.subTest(factory=factory), self.assertRaisesRegex(Mistake, message):
                self.open(factory, **more)

    def test_a_package_that_is_missing_is_named_with_the_line_that_installs_it(self):
        for factory, message in (("mine:lacking", "mine:lacking needs lance: .*python.* -m pip install pylance"), ("gone:make", "no module gone")):
            with self.subTest(factory=factory), self.assertRaisesRegex(MissingPackage, message):
                self.open(factory)

    def test_that_only_a_loader_shows_name_the_cure(self):
        for name, message in (("unsized", "has no __len__; add it"), ("empty", "is empty"), ("number", "which is not a dataset")):
            with self.subTest(name=name), self.assertRaisesRegex(Mistake, message):
                open_feed(self.open(f"mine:{name}"), LOADER)

    def test_that_only_batches_show_name_the_cure(self):
        for batch in (["a"] * 4, "no tensor here"):
            with self.subTest(batch=batch), self.assertRaisesRegex(Mistake, "have no tensors .* convert the samples to tensors in"):
                tensors_of(batch)


class OwnOrder(OwnModule):
    def batches(self, **functions):
        feed = open_feed(self.open("mine:make", **functions), LOADER)
        batches = feed.begin(0, 2)
        return [len(next(batches)) for _ in range(3)]

    def test_of_a_sampler_begins_again_at_its_end(self):
        self.assertEqual(self.batches(sampler="mine:first_six"), [4, 2, 4])

    def test_of_a_batch_sampler_takes_the_place_of_batch_size(self):
        self.assertEqual(self.batches(batch_sampler="mine:of_seven"), [7, 2, 7])


class OwnBatches(OwnModule):
    def test_are_the_items_of_the_dataset(self):
        for cached in (False, True):
            with self.subTest(cached=cached):
                feed = open_feed(self.open("mine:pairs"), dataclasses.replace(LOADER, batch_size=None, cached=cached))
                batches = feed.begin(0, 5)
                self.assertEqual([next(batches).tolist() for _ in range(4)], [[0, 1]] * 4 if cached else [[0, 1], [2, 3], [4, 5], [0, 1]])
                self.assertEqual(feed.samples(next(batches)), 2)


class LoaderFactory(OwnModule):
    def feed(self, factory):
        return open_feed(self.open("mine:make"), dataclasses.replace(LOADER, factory=factory, shuffle=True))

    def test_gets_the_dataset_and_the_knobs_and_begins_again_at_its_end(self):
        feed = self.feed("mine:batches_of_numbers")
        batches = feed.begin(0, 3)
        self.assertEqual([int(next(batches)[0]) for _ in range(3)], [0, 4, 0])
        self.assertEqual(feed.samples(next(batches)), 4)
        self.assertEqual(mine_settings()["batch_size"], 4)
        self.assertIs(mine_settings()["shuffle"], True)

    def test_may_be_a_class_that_takes_the_arguments_of_dataloader(self):
        self.assertEqual(len(next(self.feed("torch.utils.data:DataLoader").begin(0, 1))), 4)


class Epochs(OwnModule):
    """The end of an epoch that the user's code decides."""

    def idle(self, **options):
        feed = open_feed(self.open("mine:make"), dataclasses.replace(LOADER, factory="torch.utils.data:DataLoader", **options))
        before = feed.is_idle
        next(feed.begin(0, 1))
        return before, feed.is_idle

    def test_that_were_left_are_over_unless_the_loader_keeps_them(self):
        self.assertEqual(self.idle(), (True, True))
        self.assertEqual(self.idle(num_workers=1), (True, True))
        self.assertEqual(self.idle(num_workers=1, persistent_workers=True), (True, False))

    def test_that_begin_within_another_are_counted(self):
        feed = open_feed(self.open("mine:make", sampler="mine:first_six"), LOADER)
        batches = feed.begin(0, 5)
        for begun in (0, 0, 1, 1, 2):
            next(batches)
            self.assertEqual(feed.epochs_begun, begun)


def mine_settings():
    return sys.modules["mine"].settings


if __name__ == "__main__":
    unittest.main()
