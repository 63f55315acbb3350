# SPDX-License-Identifier: Apache-2.0
"""The socket to feedrate. A line of JSON an event; feedrate answers some of them with a line, once it has acted."""
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
    """feedrate has ended: nobody is interested any more."""


class Channel:
    """Any thread may send, since warnings come from the pin thread, too; the main thread alone asks.
    Forked workers close their copy, so that its end is the child's end."""

    def __init__(self, descriptor: int) -> None:
        os.set_inheritable(descriptor, False)
        self._socket = socket.socket(fileno=descriptor)
        self._socket.setblocking(True)
        self._lock = threading.RLock()  # a collection may warn while its own thread holds it
        os.register_at_fork(after_in_child=self.close)

    def send(self, event: str, **fields: Any) -> None:
        text = json.dumps({"event": event, **fields}, separators=(",", ":"), ensure_ascii=False) + "\n"
        line = text.encode(errors="replace")  # file names that are no UTF-8 hold lone surrogates, which are no JSON
        try:
            with self._lock:
                self._require_own()
                self._socket.sendall(line, socket.MSG_NOSIGNAL)  # a script may have set SIGPIPE to SIG_DFL
        except OSError as error:
            raise ParentGone from error

    def ask(self, event: str, **fields: Any) -> int:
        """Sends, and returns when feedrate has acted on it: the time, in ns of time.monotonic_ns(), until which the caller has
        to sleep; 0 if it has not."""
        self.send(event, **fields)
        return int(self._receive_line())

    def receive_job(self) -> dict[str, Any]:
        job: dict[str, Any] = json.loads(self._receive_line())
        return job

    def receive_lines(self, seconds: float) -> list[str]:
        """What feedrate sends within `seconds` without being asked. One thread."""
        waiting = select.poll()  # select() takes no descriptor above 1023
        waiting.register(self._socket, select.POLLIN)
        return self._receive_line().decode().splitlines() if waiting.poll(seconds * 1000) else []

    def stop_receiving(self) -> None:
        """receive_lines() in another thread raises ParentGone."""
        self._require_own()
        self._socket.shutdown(socket.SHUT_RD)

    def send_without_waiting(self, seconds: float) -> None:
        """From here on, send() raises ParentGone where feedrate does not read for so long."""
        self._require_own()
        self._socket.settimeout(seconds)

    def close(self) -> None:
        self._socket.close()

    def receive_request(self) -> tuple[list[str], list[int]]:
        """Of a fork server: the words of a line, and the descriptors that came with it."""
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
        """Before each use of the descriptor. Raises ParentGone where it is another file's by now."""

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
