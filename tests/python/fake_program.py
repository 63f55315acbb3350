# SPDX-License-Identifier: Apache-2.0
"""A fake of `feedrate run --listen`: the other side of the protocol in python/feedrate/session.py, without measurements.

FAKE_LOG: the file to which each message is appended as a line of JSON. FAKE_DOES: the fault to show. FAKE_LASTS: ends when this file
exists. FAKE_TUNES: tunes until this file exists.
"""
from __future__ import annotations

import contextlib
import json
import os
import shutil
import socket
import sys
import tempfile
import threading
import time
from typing import Any

DOES = os.environ.get("FAKE_DOES", "")
WORKERS = 1  # the number that it requests for a tuned loader


def verdict_of(loader: dict[str, Any], is_over: bool) -> dict[str, Any]:
    settings = {name: loader["settings"][name] for name in ("batch_size", "num_workers", "pin_memory", "persistent_workers")}
    settings.update(in_order=True, prefetch_factor=None, multiprocessing_context=None)
    recommended = {**settings, "num_workers": WORKERS, "prefetch_factor": 4}
    del recommended["batch_size"]
    tuning = {
        "is_over": is_over, "outcome": "faster" if is_over else "not compared", "recommended": recommended, "gain": {"ratio": 1.71, "low": 1.66, "high": 1.76} if is_over else None,
        "confidence": 0.95, "tolerance": 0.02, "considered": 96, "tried": 7,
        "failed": [{"settings": "num_workers=2", "reason": "a worker hung"}], "not_tried": [], "cost_seconds": 1.2, "cost_share": 0.034,
        "budget": loader["tune"], "budget_steps": 1000,
    }  # fmt: skip
    return {
        "schema": 1, "site": loader["site"], "class": loader["class"], "dataset": loader["dataset"], "steps": 400, "cpus": 8,
        "settings": settings, "loading": 0.06, "training": 0.02, "gpu_idle": None, "first_batch": 3.1, "epoch_gap": None,
        "batches_per_step": 1, "parts": [{"site": loader["site"], "dataset": loader["dataset"], "loading": 0.06}], "has_first_batches": False,
        "paused": 0.0, "bound": "INPUT-BOUND", "cause": "the <workers'> compute", "most_to_win": 4.0,
        "evidence": {"seconds": 5.0, "running": 4.8, "runnable": 0.1, "read_bytes": 0, "major_faults": 0},
        "audit": {"identical": 12, "difference": None}, "notes": [],
        "tuning": None if loader["tune"] is None else tuning, "why_not_tuned": "",
        "text": [f"400 steps of {loader['site']}", "loading 60 ms & training 20 ms"],
    }  # fmt: skip


class Conversation:
    def __init__(self, connection: socket.socket) -> None:
        self.connection = connection
        self.loaders: dict[int, dict[str, Any]] = {}
        self.judged: set[int] = set()

    def send(self, event: str, **fields: Any) -> None:
        try:
            self.connection.sendall(json.dumps({"event": event, **fields}).encode() + b"\n")
        except OSError:  # a script that ends reads no more, but may still send
            pass

    def run(self) -> None:
        with contextlib.suppress(ConnectionResetError), self.connection, self.connection.makefile() as lines:
            for line in lines:  # a script that closes the connection may not have read everything
                log(line)
                if DOES == "closes":
                    return
                self.answer(json.loads(line))

    def answer(self, message: dict[str, Any]) -> None:
        if message["event"] == "loader":
            self.loaders[message["loader"]] = message
        elif message["event"] == "marks":
            for loader, _, _, _, samples, _ in zip(*[iter(message["rows"])] * 6):
                self.judge(loader, is_over=samples == -3)

    def judge(self, loader: int, is_over: bool) -> None:
        if DOES == "strange":
            self.send("news")
            self.send("verdict", loader=loader, verdict={"schema": 2})
            self.send("verdict", loader="no such one", verdict=None)
            log('{"event": "news"}')
        elif DOES == "malformed":
            self.send("verdict", loader=loader, verdict=[])
        elif is_over or loader not in self.judged:
            while is_over and is_to_last(os.environ.get("FAKE_TUNES", "")):
                time.sleep(0.01)
            self.judged.add(loader)
            if self.loaders[loader]["tune"] is not None and not is_over:
                self.send("switch", loader=loader, request=5, at=0, settings={"num_workers": WORKERS, "prefetch_factor": 4})
            self.send("verdict", loader=loader, verdict=verdict_of(self.loaders[loader], is_over))


def log(line: str) -> None:
    with open(os.environ["FAKE_LOG"], "a") as file:
        file.write(line.strip() + "\n")


def main() -> None:
    if sys.argv[1:3] != ["run", "--listen"] or DOES == "fails":
        sys.exit(2)
    if os.fork() > 0:
        return
    if DOES == "is silent":
        time.sleep(300)
    log(json.dumps({"event": "begun", "process": os.getpid(), "group": os.getpgrp(), "session": os.getsid(0)}))
    listener = socket.socket(socket.AF_UNIX)
    path = os.path.join(tempfile.mkdtemp(prefix="fr-"), "socket")
    listener.bind(path)
    listener.listen()
    print("ready", path, flush=True)
    threads = [threading.Thread(target=Conversation(listener.accept()[0]).run)]
    threads[0].start()
    threading.Thread(target=accept_more, args=(listener, threads), daemon=True).start()
    for thread in threads:
        thread.join()
    log('{"event": "over"}')
    print("feedrate: the summary", file=sys.stderr, flush=True)
    while is_to_last(os.environ.get("FAKE_LASTS", "")):
        time.sleep(0.05)
    shutil.rmtree(os.path.dirname(path), ignore_errors=True)


def is_to_last(end: str) -> bool:
    """Whether `end` is still missing and its folder, which goes with the test, still exists."""
    return bool(end) and os.path.isdir(os.path.dirname(end)) and not os.path.exists(end)


def accept_more(listener: socket.socket, threads: list[threading.Thread]) -> None:
    while True:
        thread = threading.Thread(target=Conversation(listener.accept()[0]).run)
        thread.start()
        threads.append(thread)


if __name__ == "__main__":
    main()
