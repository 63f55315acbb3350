#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""studies/measure_house on a small tree, counted by hand."""
import contextlib
import io
import pathlib
import sys
import tempfile
import unittest
from unittest import mock

sys.dont_write_bytecode = True
from load_study import load_study

measure = load_study("measure_house")

TREE = {
    "CMakeLists.txt": "project(x)\n",
    "core/CMakeLists.txt": "feedrate_layer(\n  NAME core)\n",
    "core/text.h": "#pragma once\n#include <nlohmann/json.hpp>\n",
    "bench/CMakeLists.txt": "feedrate_layer(\n  NAME bench)\n",
    "bench/plan/knob_table.cpp": 'const Knob rows[] = {\n  {"num_workers", "loader", "num_workers", kInteger},\n  {"cache", "dataset", "cache", kText, {"warm", "cold"}},\n'
                                 '  {"engine", "", "engine", kText}};\n',
    "bench/plan/plan.cpp": '#include "bench/cli/cli.h"\n#include "bench/run.h"\nint a(const S& s) { return count_of(s, "num_workers"); }\n',
    "bench/plan/plan.h": "",
    "bench/cli/cli.cpp": '#include "bench/cli/cli.h"\n#include <CLI/CLI.hpp>\n#include "core/text.h"\nconst auto kNames = {"cache", "engine", "num_workers"};\n',
    "bench/cli/cli.h": '#include "bench/plan/plan.h"\n',
    "bench/run.h": "",
    "tests/core/text_test.cpp": "int main() {}\n",
    "build/made.cpp": "int unseen() {}\n",
    "README.md": "three words here\n",
    "docs/adr/a.md": "two words\n",
}
CODE = """#define MACRO(x) \\
  void x() {
// A comment with { and a function() {
namespace a {
template <typename T = int>
class B final : public C {
 public:
  explicit B(int x) : x_{x}, text_("}") {
    if (x) {
      start([] { return '{'; });
    }
  }
  bool operator==(const B&) const = default;
  [[nodiscard]] int x() const { return x_; }

 private:
  std::function<void(int)> on_x_ = [](int) {};
  int x_{1'000'000};
};

int parse(const std::string& text) try {
  return R"({{{)"[0];
} catch (const std::exception&) {
  return 0;
}

enum class E { kOne };
const std::vector<int> kList{1, 2};
}  // namespace a
"""


class Counting(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = pathlib.Path(folder.name)
        for name, text in TREE.items():
            (self.root / name).parent.mkdir(parents=True, exist_ok=True)
            (self.root / name).write_text(text)

    def rows(self):
        return measure.rows_of(measure.Checkout(self.root), build=False)

    def test_lines_rooms_and_words(self):
        rows = self.rows()
        self.assertEqual(rows["lines: C++, of it the product"], "15 / 14")
        self.assertEqual(rows["C++ files, of them the product's"], "8 / 7")
        self.assertEqual(rows["biggest room: lines, share"], "bench/ 12, 86 %")
        self.assertEqual(rows["rooms under the layer rule"], "2")
        self.assertEqual((rows["words: README.md"], rows["words: docs"]), ("3", "2"))

    def test_sub_rooms_that_include_each_other(self):
        rows = self.rows()
        self.assertEqual(rows["sub-rooms: pairs that include each other"], "1 (bench/ 1)")
        self.assertEqual(rows["sub-rooms, less loose files: arrows up in their best order"], "1 (bench/ 1)")
        (self.root / "bench/cli/cli.h").write_text("")
        self.assertEqual(self.rows()["sub-rooms: pairs that include each other"], "0")

    def test_a_ring_of_three_has_one_arrow_up_and_a_pair_one_more(self):
        ring = {("a", "b"), ("b", "c"), ("c", "a")}
        self.assertEqual(measure.fewest_up(ring), 1)
        self.assertEqual(measure.fewest_up({*ring, ("d", "e"), ("e", "d"), ("a", "d")}), 2)
        self.assertEqual(measure.fewest_up(set()), 0)

    def test_where_knobs_are_named(self):
        rows = self.rows()
        self.assertEqual(rows["knobs"], "3")
        self.assertEqual(rows["files that spell a knob's name: median, max"], "2 / 3")
        self.assertEqual(rows["look-ups of settings by string"], "1")
        self.assertEqual(rows["lists of 3 or more knobs' names beside the table"], "1")

    def test_rows_that_name_their_fields_are_knobs_too(self):
        (self.root / "bench/plan/knob_table.cpp").write_text('{.name = "decoder", .section = kPipeline, .type = kText}\n')
        self.assertEqual(measure.Checkout(self.root).knobs, ["decoder"])

    def test_sources_with_a_library_by_themselves_or_through_a_header(self):
        self.assertEqual(self.rows()["sources that include CLI11 / nlohmann"], "1 / 1")

    def test_functions_are_found_by_their_braces(self):
        found = [(one.name, one.lines) for one in measure.functions_of("a.cpp", CODE)]
        self.assertEqual(found, [("B", 5), ("x", 1), ("parse", 5)])

    def test_a_function_above_40_lines_is_reported(self):
        (self.root / "core/long.cpp").write_text("void f() {\n" + "  g();\n" * 39 + "}\n")
        rows = self.rows()
        self.assertEqual(rows["functions: all, above 40 lines"], "2 / 1")
        self.assertEqual(rows["functions: longest"], "f 41 (core/long.cpp)")

    def test_an_older_tree_is_shown_next_to_this_one(self):
        arguments = ["measure_house", "--tree", str(self.root), "--against", str(self.root)]
        with mock.patch("sys.argv", arguments), contextlib.redirect_stdout(io.StringIO()) as out:
            self.assertEqual(measure.main(), 0)
        self.assertIn("| | before | now |", out.getvalue())
        self.assertIn("| knobs | 3 | 3 |", out.getvalue())


if __name__ == "__main__":
    unittest.main()
