# SPDX-License-Identifier: Apache-2.0
"""The socket to feedrate: one JSON event per line. feedrate answers some events with a line once it has acted on them."""
from __future__ import annotations

import array
import json
import os
import select
import socket
import threading
from typing import Any


CHANNEL = 3


class ParentGone(Exception):
    """feedrate has ended."""


class Channel:
    """Any thread may send, because the pin thread warns, too; only the main thread calls ask().
    Forked workers close their copy, so that feedrate sees the end of the socket when this process ends."""

    def __init__(self, descriptor: int) -> None:
        os.set_inheritable(descriptor, False)
        self._socket = socket.socket(fileno=descriptor)
        self._socket.setblocking(True)
        self._lock = threading.RLock()  # reentrant: a garbage collection may send a warning while its own thread holds the lock
        os.register_at_fork(after_in_child=self.close)

    def send(self, event: str, **fields: Any) -> None:
        text = json.dumps({"event": event, **fields}, separators=(",", ":"), ensure_ascii=False) + "\n"
        line = text.encode(errors="replace")  # replaces lone surrogates of file names that are not UTF-8, which JSON cannot hold
        try:
            with self._lock:
                self._require_own()
                self._socket.sendall(line, socket.MSG_NOSIGNAL)  # a script may have set SIGPIPE to SIG_DFL
        except OSError as error:
            raise ParentGone from error

    def ask(self, event: str, **fields: Any) -> int:
        """Sends an event and waits until feedrate has acted on it. Returns the time, in ns of time.monotonic_ns(), until which the
        caller has to sleep, or 0."""
        self.send(event, **fields)
        return int(self._receive_line())

    def receive_job(self) -> dict[str, Any]:
        job: dict[str, Any] = json.loads(self._receive_line())
        return job

    def receive_lines(self, seconds: float) -> list[str]:
        """Lines that feedrate sends unasked within `seconds`. One thread."""
        waiting = select.poll()
        waiting.register(self._socket, select.POLLIN)
        return self._receive_line().decode().splitlines() if waiting.poll(seconds * 1000) else []

    def stop_receiving(self) -> None:
        """Makes receive_lines() in another thread raise ParentGone."""
        self._require_own()
        self._socket.shutdown(socket.SHUT_RD)

    def send_without_waiting(self, seconds: float) -> None:
        """Makes later calls of send() raise ParentGone if feedrate does not read for `seconds`."""
        self._require_own()
        self._socket.settimeout(seconds)

    def close(self) -> None:
        self._socket.close()

    def receive_request(self) -> tuple[list[str], list[int]]:
        """Receives a line of a fork server: its words, and the descriptors sent with it."""
        descriptors = array.array("i")
        line = b""
        while not line.endswith(b"\n"):
            try:
                part, attached, _, _ = self._socket.recvmsg(4096, socket.CMSG_SPACE(2 * descriptors.itemsize))
            except OSError as error:
                raise ParentGone from error
            if not part:
                raise ParentGone
            line += part
            for _, _, data in attached:
                descriptors.frombytes(data[: len(data) - len(data) % descriptors.itemsize])
        return line.decode().split(), list(descriptors)

    def _require_own(self) -> None:
        """Called before each use of the descriptor. An override raises ParentGone if the number belongs to another file by now."""

    def _receive_line(self) -> bytes:
        line = bytearray()
        while not line.endswith(b"\n"):
            line += self._receive(65536)
        return bytes(line)

    def _receive(self, most: int) -> bytes:
        self._require_own()
        try:
            received = self._socket.recv(most)
        except OSError as error:
            raise ParentGone from error
        if not received:
            raise ParentGone
        return received
