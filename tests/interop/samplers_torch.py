#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compares loaders/sampler.h with the samplers of this machine's PyTorch, index by index.

    samplers_torch.py <samplers_probe> <golden file>    live PyTorch = golden file = ours
    samplers_torch.py --write <golden file>             write the golden file from live PyTorch

The golden file has a line per case, "case : batches"; tests/support/sampler_case.h documents a case.
Exits 77 without torch.
"""
import subprocess
import sys
import warnings

warnings.filterwarnings("ignore")
try:
    import torch
    from torch.utils.data import DataLoader, Dataset, DistributedSampler
except ImportError as error:
    print(f"SKIPPED: {sys.executable} has no torch ({error}); install it to run this test")
    sys.exit(77)

SHOWN_IN_FULL = 40
DISTRIBUTED = ("records", "shuffle", "seed", "epoch", "replicas", "rank", "shard_drop_last", "batch_size", "drop_last")
GENERATOR = ("records", "seed", "epoch", "num_workers", "persistent_workers", "batch_size", "drop_last")


class Indices(Dataset):
    def __init__(self, count):
        self.count = count

    def __len__(self):
        return self.count

    def __getitem__(self, index):
        return index


def distributed_cases():
    yield 10, 0, 0, 0, 1, 0, 0, 3, 0
    yield 10, 0, 0, 0, 1, 0, 0, 3, 1
    yield 10, 1, 0, 0, 1, 0, 0, 3, 0
    yield 10, 1, 0, 1, 1, 0, 0, 4, 1
    yield 17, 1, 12345, 0, 1, 0, 0, 1, 0
    yield 17, 1, 12345, 7, 1, 0, 0, 17, 1
    yield 5, 1, (1 << 33) + 7, 0, 1, 0, 0, 2, 0
    yield 5, 1, (1 << 32) - 1, 1, 1, 0, 0, 2, 0  # The seed's low 32 bits wrap.
    yield 3, 1, 1, 0, 1, 0, 0, 4, 1  # Nothing is left.
    yield 1, 1, 1, 0, 1, 0, 0, 4, 0
    for rank in range(3):
        yield 10, 1, 0, 2, 3, rank, 0, 3, 0  # 2 repeated
        yield 10, 1, 0, 2, 3, rank, 1, 2, 1  # 1 dropped
        yield 10, 0, 0, 2, 3, rank, 0, 3, 0
    for rank in (0, 3, 7):
        yield 3, 1, 5, 1, 8, rank, 0, 2, 0  # The head is repeated more than once.
        yield 3, 1, 5, 1, 8, rank, 1, 2, 0  # No rank gets a sample.
    yield 12, 1, 9, 3, 4, 2, 1, 2, 0  # Divides evenly.
    yield 1, 1, 0, 0, 5, 4, 0, 1, 0
    yield 1000, 1, 42, 0, 1, 0, 0, 64, 0
    yield 60000, 1, 42, 5, 8, 3, 0, 128, 0
    yield 60001, 1, 42, 5, 8, 7, 0, 128, 0
    yield 60001, 1, 42, 5, 8, 7, 1, 128, 1
    yield 200000, 1, 7, 11, 1, 0, 0, 256, 0
    yield (1 << 20) + 1, 1, 7, 0, 16, 15, 0, 256, 0


def generator_cases():
    for workers, persistent in ((0, 0), (2, 0), (2, 1)):
        for epoch in range(3):
            yield 10, 5, epoch, workers, persistent, 3, 0
            yield 12, 6, epoch, workers, persistent, 4, 1
        yield 1, 5, 2, workers, persistent, 1, 0
        yield 7, 8, 2, workers, persistent, 10, 1
        yield 2000, (1 << 40) + 3, 2, workers, persistent, 64, 1
    yield 200000, 1, 1, 0, 0, 1024, 0


def batches_of(loader):
    return [batch.tolist() for batch in loader]


def distributed(records, shuffle, seed, epoch, replicas, rank, shard_drop_last, batch_size, drop_last):
    dataset = Indices(records)
    sampler = DistributedSampler(dataset, num_replicas=replicas, rank=rank, shuffle=bool(shuffle), seed=seed,
                                 drop_last=bool(shard_drop_last))
    sampler.set_epoch(epoch)
    return batches_of(DataLoader(dataset, batch_size=batch_size, sampler=sampler, drop_last=bool(drop_last)))


def generator(records, seed, epoch, num_workers, persistent_workers, batch_size, drop_last):
    loader = DataLoader(Indices(records), batch_size=batch_size, shuffle=True, num_workers=num_workers,
                        persistent_workers=bool(persistent_workers), drop_last=bool(drop_last),
                        generator=torch.Generator().manual_seed(seed))
    for _ in range(epoch):
        batches_of(loader)
    return batches_of(loader)


def text_of(batches):
    """The batches in the notation of tests/support/sampler_case.cpp."""
    order = [index for batch in batches for index in batch]
    if len(order) <= SHOWN_IN_FULL:
        return "|".join(" ".join(map(str, batch)) for batch in batches)
    value = 0xCBF29CE484222325
    for index in order:
        value = ((value ^ index) * 0x100000001B3) % (1 << 64)
    first = " ".join(map(str, batches[0][:8]))
    return f"batches={len(batches)} last={len(batches[-1])} hash={value:016x} first={first}"


def live_lines():
    for kind, names, cases, batches in (("distributed", DISTRIBUTED, distributed_cases(), distributed),
                                        ("generator", GENERATOR, generator_cases(), generator)):
        for case in cases:
            words = " ".join(f"{name}={value}" for name, value in zip(names, case))
            yield f"{kind} {words}", text_of(batches(*case))


def ours(probe, cases):
    result = subprocess.run([probe], input="".join(case + "\n" for case in cases), capture_output=True, text=True)
    assert result.returncode == 0, result.stderr
    return result.stdout.split("\n")[:-1]


def compare(probe, golden):
    live = list(live_lines())
    with open(golden, encoding="utf-8") as file:
        kept = [tuple(line.rstrip("\n").split(" : ", 1)) for line in file if not line.startswith("#")]
    assert [case for case, _ in kept] == [case for case, _ in live], f"{golden} has other cases; write it anew"
    wrong = 0
    for (case, expected), (_, written), answer in zip(live, kept, ours(probe, [case for case, _ in live])):
        if expected == written == answer:
            continue
        wrong += 1
        print(f"{case}\n  PyTorch {expected}\n  golden  {written}\n  ours    {answer}")
    print(f"PyTorch {torch.__version__}: {len(live)} orders, {wrong} differ")
    return 1 if wrong else 0


def main():
    if sys.argv[1] != "--write":
        return compare(sys.argv[1], sys.argv[2])
    with open(sys.argv[2], "w", encoding="utf-8") as file:
        file.write(f"# Batches of PyTorch {torch.__version__}; written by tests/interop/samplers_torch.py --write.\n")
        for case, batches in live_lines():
            file.write(f"{case} : {batches}\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
