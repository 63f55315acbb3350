#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""python/feedrate/own_dataset.py and loading.py: what they say of a dataset of the user's own that cannot be measured."""
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
from feedrate.failures import Mistake
from feedrate.job import LoaderJob
from feedrate.loading import open_feed
from feedrate.own_dataset import open_own_dataset

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
a_number = 7
"""
LOADER = LoaderJob(
    batch_size=4, num_workers=0, prefetch_factor=2, persistent_workers=False, pin_memory=False, shuffle=False, drop_last=False,
    in_order=True, seed=0, timeout=0.0, multiprocessing_context=None, sharing_strategy="file_descriptor",
)


class Mistakes(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        (pathlib.Path(folder.name) / "mine.py").write_text(MODULE)
        self.folders = [folder.name]
        before = list(sys.path)
        self.addCleanup(lambda: sys.path.__setitem__(slice(None), before))
        self.addCleanup(sys.modules.pop, "mine", None)

    def open(self, factory, **more):
        return open_own_dataset({"factory": factory, "folders": self.folders, "collate_fn": None, "worker_init_fn": None, **more})

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

    def test_that_only_a_loader_shows_name_the_cure(self):
        for name, message in (("unsized", "has no __len__; add it"), ("empty", "is empty"), ("number", "which is not a dataset")):
            with self.subTest(name=name), self.assertRaisesRegex(Mistake, message):
                open_feed(self.open(f"mine:{name}"), LOADER)

    def test_that_only_batches_show_name_the_cure(self):
        for batch in (["a"] * 4, "no tensor here"):
            with self.subTest(batch=batch), self.assertRaisesRegex(Mistake, "have no tensors .* convert the samples to tensors in"):
                tensors_of(batch)


if __name__ == "__main__":
    unittest.main()
