# SPDX-License-Identifier: Apache-2.0
"""A Python that has imported what cells need, and forks a child per cell. bench/engines/torch/fork_server.h is its client.

A child is as fresh as a new Python: fork copies only what the imports have made."""
from __future__ import annotations

import contextlib
import importlib
import os

from .channel import CHANNEL, Channel

OOM_SCORE = 500


def serve(channel: Channel, modules: list[str]) -> Channel:
    """Returns in each child, with the child's channel. The server itself ends with feedrate. It ignores modules that it cannot
    import; the children report them."""
    for name in modules:
        with contextlib.suppress(Exception):
            importlib.import_module(name)
    channel.send("serving")
    while True:
        words, descriptors = channel.receive_request()
        if words[0] == "fork":
            child = os.fork()
            if child == 0:
                return _begin_child(*descriptors)
            for descriptor in descriptors:
                os.close(descriptor)
            _lead_a_group(child)
            channel.send("forked", process=child)
        else:
            _, status = os.waitpid(int(words[1]), 0)
            channel.send("reaped", status=status)


def _lead_a_group(child: int) -> None:
    """Called by both processes, because either may run first."""
    try:
        os.setpgid(child, child)
    except ProcessLookupError:
        pass


def _offer_to_be_killed() -> None:
    """Makes the kernel's OOM killer choose this process, whose end costs one cell, before feedrate, whose end costs a sweep."""
    try:
        with open("/proc/self/oom_score_adj", "r+") as score:
            if int(score.read()) >= OOM_SCORE:
                return
            score.seek(0)
            score.write(str(OOM_SCORE))
    except OSError:
        pass


def _begin_child(socket: int, output: int) -> Channel:
    _lead_a_group(os.getpid())
    _offer_to_be_killed()
    os.dup2(socket, CHANNEL)  # Channel closed the server's descriptor in the fork
    for standard in (1, 2):
        os.dup2(output, standard)
    os.close(socket)
    os.close(output)
    return Channel(CHANNEL)
