# SPDX-License-Identifier: Apache-2.0
"""Finds the source text of a call and the offsets of its arguments, so that feedrate can print it with edited arguments."""
from __future__ import annotations

import ast
import linecache
from typing import Any, Optional

from .sites import Site

_MOST_LINES = 20_000  # the largest file that is parsed, where the interpreter does not record a call's columns


def call_source(site: Site, name: str, parameters: list[str]) -> Optional[dict[str, Any]]:
    """The field "call" of a "loader" message (session.py), or None if the text is not found. `name`: the class's name. `parameters`:
    the class's parameters, which name positional arguments; empty if the line calls something else."""
    found = _text_of(site, name)
    if found is None:
        return None
    try:
        node = ast.parse(found, mode="eval").body
    except (SyntaxError, ValueError):
        return None
    return _described(found, node, parameters) if isinstance(node, ast.Call) else None


def _text_of(site: Site, name: str) -> Optional[str]:
    lines = linecache.getlines(site.file)
    if not lines or site.span is None:
        return None
    begin, end, column, end_column = site.span
    if begin is None or end is None or column is None or end_column is None:
        node = _node_at(lines, begin, name)
        if node is None:
            return None
        begin, end, column, end_column = node.lineno, node.end_lineno, node.col_offset, node.end_col_offset
    if end is None or not 1 <= begin <= end <= len(lines):
        return None
    part = [line.encode() for line in lines[begin - 1 : end]]
    part[-1] = part[-1][:end_column]
    part[0] = part[0][column:]
    return b"".join(part).decode(errors="replace")


def _node_at(lines: list[str], line: Optional[int], name: str) -> Optional[ast.Call]:
    """The only call that begins in that line, or None. Needed before Python 3.11, which records no columns."""
    if len(lines) > _MOST_LINES:
        return None
    try:
        tree = ast.parse("".join(lines))
    except (SyntaxError, ValueError):
        return None
    calls = [node for node in ast.walk(tree) if isinstance(node, ast.Call) and node.lineno == line]
    named = [node for node in calls if ast.dump(node.func).find(f"'{name}'") >= 0]
    fitting = named or calls
    return fitting[0] if len(fitting) == 1 else None


def _described(text: str, call: ast.Call, parameters: list[str]) -> Optional[dict[str, Any]]:
    starts = [0]
    for line in text.encode().splitlines(keepends=True):
        starts.append(starts[-1] + len(line))

    def begin_of(node: ast.expr) -> int:
        return starts[node.lineno - 1] + node.col_offset

    def end_of(node: ast.expr) -> int:
        assert node.end_lineno is not None and node.end_col_offset is not None
        return starts[node.end_lineno - 1] + node.end_col_offset

    if any(isinstance(argument, ast.GeneratorExp) for argument in call.args) and len(call.args) == 1 and not call.keywords:
        return None  # its parentheses are missing as soon as a second argument is added
    values = [*zip(parameters, call.args), *((keyword.arg, keyword.value) for keyword in call.keywords)]
    spans = {name: [begin_of(value), end_of(value)] for name, value in values if name}
    is_open = any(isinstance(argument, ast.Starred) for argument in call.args) or any(keyword.arg is None for keyword in call.keywords)
    everything = [*call.args, *(keyword.value for keyword in call.keywords)]
    encoded = text.encode()
    if everything:
        insert = _behind_parentheses(encoded, max(map(end_of, everything)))
    else:
        insert = encoded.index(b"(", end_of(call.func)) + 1
    return {"text": text, "arguments": spans, "insert": insert, "separator": ", " if everything else "", "open": is_open}


def _behind_parentheses(text: bytes, end: int) -> int:
    """The offset behind parentheses around the last argument, which are no part of its node, but before the call's own."""
    closing = [offset for offset in range(end, len(text)) if text[offset : offset + 1] == b")"]
    return closing[-2] + 1 if len(closing) > 1 and not text[end : closing[-2]].strip(b" \t\r\n)") else end
