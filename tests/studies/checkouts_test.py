#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""studies/planted_faults and studies/prose_sample on lines whose answer is known."""
import sys
import unittest

sys.dont_write_bytecode = True
from load_study import load_study

faults = load_study("planted_faults")
prose = load_study("prose_sample")

LINES = ["void f() {", "  found_.push_back(one);", "  if (size == 0) return;", "  return text.substr(at + 1);", "  throw Error(text + 1);", "  const int a = 2;"]


class PlantedFaults(unittest.TestCase):
    def test_kinds_of_lines(self):
        kinds = [faults.may_be_faulty(LINES, at) for at in range(len(LINES))]
        self.assertEqual(kinds, [None, "a statement is left out", "a condition is negated", "off by one", "off by one", None])

    def test_lines_with_a_fault(self):
        def planted(line, kind):
            return faults.faulty({"number": "7", "line": line, "kind": kind})

        self.assertEqual(planted(LINES[1], "a statement is left out"), '  if (!planted_fault("7")) found_.push_back(one);')
        self.assertEqual(planted(LINES[2], "a condition is negated"), '  if (static_cast<bool>(size == 0) != planted_fault("7")) return;')
        self.assertEqual(planted(LINES[3], "off by one"), '  return text.substr(at + 1 + planted_fault("7"));')


class ProseSample(unittest.TestCase):
    def test_a_comment_is_found_by_the_code_below_it(self):
        old = list(prose.comments("a.cpp", ["// What is left of it after all.", "int rest = 1;"]))
        self.assertEqual([one.text for one in old], ["What is left of it after all."])
        self.assertEqual(prose.comment_now(old[0], ["// The remaining bytes are zero.", "int rest = 1;"]), "The remaining bytes are zero.")
        self.assertEqual(prose.comment_now(old[0], ["int rest = 1;"]), "removed")
        self.assertEqual(prose.comment_now(old[0], []), "gone")

    def test_messages_and_names(self):
        line = '  throw FormatError("not a record of this file");'
        self.assertEqual(list(prose.matches(prose.MESSAGE, "a", [line])), [("a", "not a record of this file", "")])
        self.assertEqual(list(prose.matches(prose.NAME, "a", ["[[nodiscard]] double usual_block(int a);"])), [("a", "usual_block", "")])


if __name__ == "__main__":
    unittest.main()
