# SPDX-License-Identifier: Apache-2.0
"""The text of the call that makes a loader, and the offsets of its arguments."""
from __future__ import annotations

import ast
import linecache
import pathlib
import sys
import textwrap
import unittest
from typing import Any, Optional

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "python"))

from feedrate.call_source import call_source
from feedrate.loaders import parameters_of
from feedrate.sites import made_at
from torch.utils.data import DataLoader


class CallSource(unittest.TestCase):
    def call(self, source: str, name: str = "DataLoader", parameters: Optional[list[str]] = None) -> Any:
        """The call source in a script in which a function `DataLoader` replaces the class."""
        file = f"<call source {len(linecache.cache)}>"
        text = textwrap.dedent(source)
        linecache.cache[file] = (len(text), None, text.splitlines(keepends=True), file)
        sites: list[Any] = []

        def make(*arguments: Any, **named: Any) -> None:
            sites.append(made_at(1))

        exec(compile(text, file, "exec"), {"__name__": "__main__", name: make, "data": 1, "args": 2, "options": {}})
        return call_source(sites[0], name, parameters or [])

    def values(self, call: Any) -> dict[str, str]:
        text = call["text"].encode()
        return {name: text[begin:end].decode() for name, (begin, end) in call["arguments"].items()}

    def test_arguments_by_keyword(self) -> None:
        call = self.call("loader = DataLoader(data, batch_size=8, num_workers=args)\n")
        self.assertEqual(call["text"], "DataLoader(data, batch_size=8, num_workers=args)")
        self.assertEqual(self.values(call), {"batch_size": "8", "num_workers": "args"})

    def test_lines_strings_and_characters_of_several_bytes(self) -> None:
        call = self.call(
            '''
            for name in "ä":
                loader = [DataLoader(
                    {"é, num_workers=3": (1, 2)},  # num_workers=7
                    batch_size=len("ü,)"), num_workers=(
                        4
                    ),
                )]
            '''
        )
        self.assertEqual(self.values(call), {"batch_size": 'len("ü,)")', "num_workers": "4"})
        edited = call["text"].encode()
        edited = edited[: call["insert"]] + (call["separator"] + "pin_memory=True").encode() + edited[call["insert"] :]
        node = ast.parse(edited.decode(), mode="eval").body
        self.assertEqual([keyword.arg for keyword in node.keywords], ["batch_size", "num_workers", "pin_memory"])

    def test_arguments_by_position(self) -> None:
        call = self.call("DataLoader(data, 8, True, None, None, args)\n", parameters=parameters_of(DataLoader))
        self.assertEqual(self.values(call)["num_workers"], "args")

    def test_an_argument_is_inserted(self) -> None:
        for source, expected in (
            ("DataLoader()", "DataLoader(x=1)"),
            ("DataLoader(data)", "DataLoader(data, x=1)"),
            ("DataLoader((data))", "DataLoader((data), x=1)"),
            ("DataLoader(data,)", "DataLoader(data, x=1,)"),
        ):
            call = self.call(source + "\n")
            text = call["text"]
            self.assertEqual(text[: call["insert"]] + call["separator"] + "x=1" + text[call["insert"] :], expected)

    def test_an_open_call(self) -> None:
        self.assertTrue(self.call("DataLoader(data, **options)\n")["open"])
        self.assertFalse(self.call("DataLoader(data)\n")["open"])

    def test_without_a_source(self) -> None:
        sites: list[Any] = []
        exec("make()", {"__name__": "__main__", "make": lambda: sites.append(made_at(1))})
        self.assertIsNone(call_source(sites[0], "make", []))


if __name__ == "__main__":
    unittest.main()
