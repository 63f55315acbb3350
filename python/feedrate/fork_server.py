# SPDX-License-Identifier: Apache-2.0
"""A Python that has imported what cells need and forks a child for each: bench/engines/torch/fork_server.h.

A child is as fresh as a Python of its own: nothing was computed, and what fork copies is what an import would have made."""
from __future__ import annotations

import contextlib
import importlib
import os

from .channel import CHANNEL, Channel

OOM_SCORE = 500


def serve(channel: Channel, modules: list[str]) -> Channel:
    """Returns in each child, with a channel of its own. In the server it ends with feedrate. What cannot be imported is left to
    the children, which say so."""
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
    """Both do it, so that it is done whoever comes first."""
    try:
        os.setpgid(child, child)
    except ProcessLookupError:
        pass  # it has ended already


def _offer_to_be_killed() -> None:
    """Where memory runs out the kernel kills the worst process: this one's end costs a cell, feedrate's a whole sweep."""
    try:
        with open("/proc/self/oom_score_adj", "r+") as score:
            if int(score.read()) >= OOM_SCORE:
                return  # as in some containers
            score.seek(0)
            score.write(str(OOM_SCORE))
    except OSError:
        pass  # nothing changes


def _begin_child(socket: int, output: int) -> Channel:
    _lead_a_group(os.getpid())
    _offer_to_be_killed()
    os.dup2(socket, CHANNEL)  # the server's was closed by the fork
    for standard in (1, 2):
        os.dup2(output, standard)
    os.close(socket)
    os.close(output)
    return Channel(CHANNEL)
