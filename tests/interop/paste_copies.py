# SPDX-License-Identifier: Apache-2.0
"""The calls of torch.cuda by the pasted on_device(), in order. A log replaces torch.cuda, so that no GPU is needed."""
import contextlib
import unittest.mock

import torch


class Log:
    """A log of calls; a batch is its number."""

    def __init__(self):
        self.calls, self.stream, self.sent = [], "usual", None

    @contextlib.contextmanager
    def on(self, stream):
        before, self.stream = self.stream, stream.name
        yield
        self.stream = before

    def in_place_of_torch_cuda(self):
        return unittest.mock.patch.multiple(torch.cuda, Stream=lambda device: Stream(self, "side"), stream=self.on,
                                            current_stream=lambda device: Stream(self, self.stream))


class Stream:
    def __init__(self, log, name):
        self.log, self.name = log, name

    def record_event(self):
        return f"batch {self.log.sent} on {self.name}"

    def wait_event(self, event):
        self.log.calls.append(f"{self.name} waits for {event}")


class HostTensor:
    def __init__(self, log, batch, name):
        self.log, self.batch, self.name = log, batch, name

    def to(self, device, non_blocking=False):
        self.log.sent = self.batch
        self.log.calls.append(f"copy {self.name} {self.batch} on {self.log.stream}, {non_blocking=}")
        return DeviceTensor(self.log, self.batch, self.name)


class DeviceTensor(HostTensor):
    def record_stream(self, stream):
        self.log.calls.append(f"keep {self.name} {self.batch} for {stream.name}")


def expected_calls(batches, settings):
    """The calls of bench/trainers/device_trainer.cpp: it sends a batch, then launches the step of the batch `ahead` batches before."""
    ahead, calls = settings["device_prefetch"], []
    for sent in range(batches + ahead):
        step = sent - ahead
        if sent < batches:
            calls += [f"copy {name} {sent} on side, non_blocking={settings['non_blocking']}" for name in ("x", "y")]
        if step >= 0:
            calls += [f"usual waits for batch {step} on side", f"keep x {step} for usual", f"keep y {step} for usual", f"step {step}"]
    return calls


def check_copies(on_device, settings):
    for count in (0, 1, 5):
        log = Log()
        batches = [{name: HostTensor(log, batch, name) for name in ("x", "y")} for batch in range(count)]
        if not settings["padding"]:
            batches = [list(batch.values()) for batch in batches]
        with log.in_place_of_torch_cuda():
            for number, batch in enumerate(on_device(batches)):
                assert type(batch) is type(batches[number])
                tensors = list(batch.values()) if settings["padding"] else batch
                assert [(type(one), one.batch, one.name) for one in tensors] == [(DeviceTensor, number, name) for name in ("x", "y")]
                log.calls.append(f"step {number}")
        assert log.calls == expected_calls(count, settings), log.calls
