#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compares the edited calls with Python and PyTorch: only the changed arguments differ, and the call runs.

    call_edits.py call_probe

Exits 77 without torch.
"""
import ast
import functools
import inspect
import itertools
import json
import subprocess
import sys
import warnings

try:
    import torch
except ImportError as error:
    print(f"skipped: {sys.executable}: {error}; needs torch")
    sys.exit(77)
from torch.utils.data import DataLoader, Dataset

PROBE = subprocess.Popen([sys.argv[1]], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
CALLS = [
    "DataLoader(data)",
    "DataLoader(data, batch_size=size, shuffle=True)",
    "DataLoader(data, size, num_workers=options['workers'], drop_last=(1, 0)[0] == 1)",
    "DataLoader(data, batch_size=size, collate_fn=lambda all: {'é, (': torch.tensor(all)}, num_workers=max(workers, 1))",
    "DataLoader(\n    data,  # the data, num_workers=9\n    batch_size=size,\n    num_workers=workers,\n    prefetch_factor=4,\n)",
    "DataLoader(\n    data,\n    prefetch_factor=(\n        4\n    ),\n    num_workers=workers,\n    persistent_workers=True,\n    pin_memory=False,\n)",
    "DataLoader(data, num_workers=workers, prefetch_factor=4, persistent_workers=True, timeout=30)",
    "DataLoader(data, timeout = 30 , num_workers = workers)",
    "torch.utils.data.DataLoader(data, worker_init_fn=None, num_workers=workers, multiprocessing_context='fork',)",
    "DataLoader(data, 4, False, None, None, 2)",
    "DataLoader(data, num_workers=workers, **options['more'])",
    "DataLoader(*[data], num_workers=workers)",
    "functools.partial(DataLoader, num_workers=2)(data, batch_size=size)",
]
SETTINGS = [
    dict(num_workers=workers, prefetch_factor=prefetch if workers else None, pin_memory=pin, persistent_workers=stays and workers > 0)
    for workers, prefetch, pin, stays in itertools.product((0, 1, 3), (2, 4), (False, True), (False, True))
]


class Data(Dataset):
    def __len__(self):
        return 8

    def __getitem__(self, index):
        return index


NAMES = {
    "DataLoader": DataLoader, "torch": torch, "functools": functools, "data": Data(), "size": 2, "workers": 2,
    "options": {"workers": 2, "more": {"pin_memory": False}},
}


def run(text):
    return eval(text, dict(NAMES))


def outer_call(text):
    return ast.parse(text, mode="eval").body


def byte_offset(text, line, column):
    return sum(len(before.encode()) + 1 for before in text.split("\n")[: line - 1]) + column


def call_of(text):
    """The call in the form that python/feedrate sends."""
    call = outer_call(text)
    end = functools.partial(byte_offset, text)
    arguments = {k.arg: [end(k.value.lineno, k.value.col_offset), end(k.value.end_lineno, k.value.end_col_offset)] for k in call.keywords if k.arg}
    ends = [end(node.end_lineno, node.end_col_offset) for node in [*call.args, *(k.value for k in call.keywords)]]
    while ends and text.encode()[max(ends):].lstrip()[:1] == b")" and text.encode()[max(ends):].count(b")") > 1:
        ends.append(max(ends) + text.encode()[max(ends):].index(b")") + 1)  # the end of an argument in parentheses
    is_open = any(k.arg is None for k in call.keywords) or any(isinstance(a, ast.Starred) for a in call.args)
    return {"text": text, "arguments": arguments, "insert": max(ends), "separator": ", ", "open": is_open}


def given_of(text, loader):
    call = outer_call(text)
    function = run(ast.unparse(call.func))
    signature = inspect.signature(DataLoader.__init__)
    shown = {"self": None}
    if isinstance(function, functools.partial):
        shown.update(function.keywords)
    values = [run(ast.unparse(a.value if isinstance(a, ast.Starred) else a)) for a in call.args]
    values = values[0] if call.args and isinstance(call.args[0], ast.Starred) else values
    shown.update(zip(list(signature.parameters)[1:], values))
    for keyword in call.keywords:
        value = run(ast.unparse(keyword.value))
        shown.update({keyword.arg: value} if keyword.arg else value)
    plain = (int, float, str, bool, type(None))
    return {name: value if isinstance(value, plain) else f"<{type(value).__name__}>" for name, value in shown.items() if name != "self"}


def message_of(text, loader):
    settings = {name: getattr(loader, name) for name in ("batch_size", "num_workers", "prefetch_factor", "pin_memory", "persistent_workers", "drop_last")}
    return {
        "event": "loader", "loader": 1, "site": "/home/me/train.py:7", "class": type(loader).__name__, "dataset": "Data", "sampler": "",
        "length": None, "rank": None, "ranks": None, "tune": None, "given": given_of(text, loader), "call": call_of(text), "library": "",
        "context": "fork", "settings": {**settings, "start_method": None},
    }


@functools.lru_cache(maxsize=None)
def batches_of(text):
    return len(list(run(text)))


def ask(text, loader, settings):
    PROBE.stdin.write(json.dumps({"loader": message_of(text, loader), "settings": settings}) + "\n")
    PROBE.stdin.flush()
    return json.loads(PROBE.stdout.readline())


def expect_the_same_but(names, before, after):
    """Expects the same positional arguments, order, and keywords except `names`."""
    before, after = outer_call(before), outer_call(after)
    assert ast.dump(before.func) == ast.dump(after.func)
    assert [*map(ast.dump, before.args)] == [*map(ast.dump, after.args)]
    kept = [[ast.dump(k) for k in call.keywords if k.arg not in names] for call in (before, after)]
    assert kept[0] == kept[1], f"{kept[0]} != {kept[1]}"


def expect_comments_kept(before, after):
    for comment in (line.split("#", 1)[1] for line in before.split("\n") if "#" in line):
        assert comment in after, f"{comment!r} is missing"


CHANGEABLE = {"num_workers", "prefetch_factor", "pin_memory", "persistent_workers", "multiprocessing_context", "timeout"}
REFUSED = "prefetch_factor persistent_workers multiprocessing_context timeout".split()  # without workers


def check(text, settings):
    loader = run(text)
    answer = ask(text, loader, settings)
    edited, left = answer["text"], answer["open"]
    expect_the_same_but(CHANGEABLE, text, edited)
    expect_comments_kept(text, edited)
    if left:
        assert any(line.startswith(("set ", "remove ")) and all(name in line for name in left) for line in answer["lines"]), answer
        return len(left)
    made = run(edited)
    want = dict(settings)
    if not want["num_workers"]:
        want.pop("prefetch_factor")
        assert not {k.arg for k in outer_call(edited).keywords} & {name for name in REFUSED if given_of(text, loader).get(name)}, edited
    got = {name: getattr(made, name) for name in want}
    assert got == want, f"{edited}\n  gives {got}, wanted {want}"
    assert made.batch_size == loader.batch_size and made.drop_last == loader.drop_last
    if not settings["pin_memory"]:
        assert len(list(made)) == batches_of(text), edited
    return 0


def main():
    warnings.simplefilter("ignore")  # More workers than CPUs.
    torch.multiprocessing.set_start_method("fork")  # Some calls hold objects that cannot be sent to a worker.
    edits = unseen = 0
    for text in CALLS:
        for settings in SETTINGS:
            try:
                unseen += check(text, settings) > 0
                edits += 1
            except Exception:
                print(f"{text}\n  {settings}")
                raise
    assert 0 < unseen < edits / 3, f"{unseen} of {edits} calls could not be edited"
    print(f"torch {torch.__version__}: {edits} edits of {len(CALLS)} calls; {unseen} named arguments out of sight")


if __name__ == "__main__":
    main()
