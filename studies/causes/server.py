#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A server with latency: `server.py http|lines SECONDS`. Prints its address, and serves until it is killed, or its parent ends.

http answers each GET with 16 KiB. lines answers "GET KEY..." with one number for each key.
"""
from __future__ import annotations

import ctypes
import http.server
import signal
import socketserver
import sys
import time


class Objects(http.server.BaseHTTPRequestHandler):
    wbufsize = -1
    seconds = 0.0

    def do_GET(self) -> None:
        time.sleep(self.seconds)
        self.send_response(200)
        self.send_header("Content-Length", "16384")
        self.end_headers()
        self.wfile.write(bytes(16384))

    def log_message(self, *_: object) -> None:
        pass


class Lines(socketserver.StreamRequestHandler):
    seconds = 0.0

    def handle(self) -> None:
        for line in self.rfile:
            time.sleep(self.seconds)
            self.wfile.write((" ".join(str(len(key) * 1.5) for key in line.split()[1:]) + "\n").encode())


class Server(socketserver.ThreadingTCPServer):
    daemon_threads = True
    request_queue_size = 64


def main() -> None:
    ctypes.CDLL(None).prctl(1, signal.SIGKILL)
    handler = {"http": Objects, "lines": Lines}[sys.argv[1]]
    handler.seconds = float(sys.argv[2])
    server = Server(("127.0.0.1", 0), handler)
    print(f"127.0.0.1:{server.server_address[1]}", flush=True)
    server.serve_forever()


if __name__ == "__main__":
    main()
