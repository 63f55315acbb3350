#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compares the figures of `feedrate trace` for a real trace of the PyTorch profiler with figures computed here from its JSON.

    torch_profiler_trace.py <feedrate>

Exits 77 without torch.
"""
import decimal
import gzip
import json
import pathlib
import subprocess
import sys
import tempfile
import time
import warnings

FEEDRATE = sys.argv[1]
try:
    import torch
    from torch.profiler import ProfilerActivity, profile, schedule
    from torch.utils.data import DataLoader, Dataset
except ImportError as error:
    print(f"skipped: {sys.executable}: {error}; needs torch")
    sys.exit(77)

warnings.filterwarnings("ignore")  # Ignores more workers than CPUs: speed does not matter here.
WAIT, WARMUP, ACTIVE = 1, 1, 4


class Slow(Dataset):
    def __len__(self):
        return 64

    def __getitem__(self, index):
        time.sleep(0.002)
        return torch.full((3, 16, 16), float(index)), index % 10


def train(prof, workers):
    model = torch.nn.Sequential(torch.nn.Conv2d(3, 8, 3), torch.nn.Flatten(), torch.nn.Linear(8 * 14 * 14, 10))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    for images, labels in DataLoader(Slow(), batch_size=8, num_workers=workers):
        loss = torch.nn.functional.cross_entropy(model(images), labels)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        if prof:
            prof.step()


def record(path, workers, **options):
    """Records the first cycle of the schedule, for which there are just enough batches."""
    def save(prof):
        prof.export_chrome_trace(str(path))
    with profile(activities=[ProfilerActivity.CPU], on_trace_ready=save,
                 schedule=schedule(wait=WAIT, warmup=WARMUP, active=ACTIVE, repeat=1), **options) as prof:
        train(prof, workers)


def record_without_steps(path):
    with profile(activities=[ProfilerActivity.CPU]) as prof:
        train(None, 0)
    prof.export_chrome_trace(str(path))


def feedrate(path, out):
    done = subprocess.run([FEEDRATE, "trace", path, "--json", out], capture_output=True, text=True, check=True)
    return json.loads(pathlib.Path(out).read_text()), done.stdout


# --- The same figures, computed again: times as whole nanoseconds, sets of times as sorted lists of pairs. ---

def nanoseconds(number):
    return int((decimal.Decimal(number) * 1000).to_integral_value(decimal.ROUND_HALF_UP))


def category(event):
    """The category of an event; PyTorch without kineto writes none."""
    return event.get("cat", "cpu_op" if event.get("pid") == "CPU functions" else "").lower()


def spans(events, is_wanted):
    found = []
    for event in events:
        if event.get("ph") == "X" and is_wanted(category(event), event["name"]):
            begin = nanoseconds(event["ts"])
            found.append((begin, begin + nanoseconds(event["dur"]), event["name"]))
    return sorted(found)


def union(pairs):
    merged = []
    for begin, end, *_ in sorted(pairs):
        if merged and begin <= merged[-1][1]:
            merged[-1][1] = max(merged[-1][1], end)
        elif end > begin:
            merged.append([begin, end])
    return merged


def length_within(pairs, begin, end):
    return sum(max(0, min(b, end) - max(a, begin)) for a, b in union(pairs))


def is_next(name):
    return name.startswith("enumerate(DataLoader)#") and name.endswith(".__next__")


def count(path):
    text = path.read_text(errors="replace")
    document = json.loads(text, strict=False, parse_float=decimal.Decimal, parse_int=decimal.Decimal)
    events = document if isinstance(document, list) else document["traceEvents"]
    host = ("cpu_op", "operator", "user_annotation", "python")
    steps = spans(events, lambda cat, name: cat in host and name.startswith("ProfilerStep#"))
    loads = spans(events, lambda cat, name: cat in host and is_next(name))
    work = spans(events, lambda cat, name: cat in host and not is_next(name) and not name.startswith("ProfilerStep#"))
    counted = []
    for begin, end, name in steps:
        loading = length_within(loads, begin, end)
        either = length_within(loads + work, begin, end)
        counted.append({"number": int(name.split("#")[1]), "total": end - begin, "loading": loading,
                        "work": either - loading, "other": end - begin - either})
    return len(events), counted



def compare(what, ours, theirs, wrong):
    if abs(ours - theirs) > 1e-9 * max(1.0, abs(theirs)):
        wrong.append(f"{what}: feedrate {ours!r}, counted {theirs!r}")


def check(name, path, plain, wrong):
    ours, _ = feedrate(path, path.with_suffix(".out.json"))
    events, steps = count(plain)
    if len(steps) != ACTIVE:
        wrong.append(f"{name}: the trace has {len(steps)} steps, not {ACTIVE}")
    compare(f"{name}: events", ours["events"], events, wrong)
    if ours["damaged_at"] is not None:
        wrong.append(f"{name}: damaged at byte {ours['damaged_at']}")
    compare(f"{name}: steps", len(ours["steps"]), len(steps), wrong)
    for step, other in zip(ours["steps"], steps):
        at = f"{name}: step {other['number']}"
        compare(f"{at}: number", step["number"], other["number"], wrong)
        for key, theirs in (("total", "total"), ("next_raw", "loading"), ("next_exposed", "loading")):
            compare(f"{at}: {key}", step[key], other[theirs] * 1e-9, wrong)
        for role, theirs in (("DataLoader", "loading"), ("CPU Exec", "work"), ("Other", "other"), ("Kernel", None)):
            compare(f"{at}: {role}", step["roles"][role], other[theirs] * 1e-9 if theirs else 0, wrong)
    total = sum(step["total"] for step in steps)
    share = sum(step["loading"] for step in steps) / total
    compare(f"{name}: mean step", ours["step_time"], total * 1e-9 / len(steps), wrong)
    compare(f"{name}: DataLoader share", ours["shares"]["DataLoader"], share, wrong)
    if not 0 < share < 1:
        wrong.append(f"{name}: nothing to compare, the DataLoader has {share:.2%}")
    print(f"{name}: {events} events, {len(steps)} steps of {total / len(steps) / 1e6:.3f} ms, "
          f"DataLoader {100 * share:.2f} %")


def main():
    kineto = "with" if torch.autograd.kineto_available() else "without"  # Debian's has none.
    print(f"torch {torch.__version__}, {kineto} kineto")
    wrong = []
    with tempfile.TemporaryDirectory(prefix="feedrate-profiler-") as folder:
        folder = pathlib.Path(folder)
        for workers in (0, 2):
            path = folder / f"workers{workers}.json"
            record(path, workers, record_shapes=True, profile_memory=True, with_stack=workers == 0)
            check(f"num_workers={workers}", path, path, wrong)
        packed, plain = folder / "packed.json.gz", folder / "packed.json"
        record(packed, 2)
        plain.write_bytes(gzip.decompress(packed.read_bytes()))
        check("gzip", packed, plain, wrong)
        unmarked = folder / "unmarked.json"
        record_without_steps(unmarked)
        ours, text = feedrate(unmarked, folder / "out.json")
        if ours["marked_steps"] != 0 or "No step is marked" not in text:
            wrong.append("a trace without steps was not recognised")
    return "\n".join(wrong) if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
