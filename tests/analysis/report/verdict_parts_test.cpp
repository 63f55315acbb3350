// SPDX-License-Identifier: Apache-2.0
#include "analysis/report/verdict_parts.h"

#include <string>
#include <vector>

#include "tests/support/matchers.h"

namespace feedrate {
namespace {

VerdictParts parts_of(const std::vector<std::string>& lines) { return parts_of_verdict(lines); }

TEST(VerdictParts, the_answer_of_a_watched_training_is_what_bounds_it) {
  const VerdictParts parts = parts_of(
      {"150 steps of train.py:24 DataLoader(Images)", "loading 31.4 ms (47 %), training 35.4 ms",
       "INPUT-BOUND: the workers' CPU time; at most 2.08x to win."});
  EXPECT_EQ(parts.answer, "INPUT-BOUND: the workers' CPU time; at most 2.08x to win.");
  EXPECT_THAT(parts.facts, ElementsAre("150 steps of train.py:24 DataLoader(Images)",
                                       "loading 31.4 ms (47 %), training 35.4 ms"));
  EXPECT_THAT(parts.changes, IsEmpty());
  EXPECT_EQ(parts.code, "");
}

TEST(VerdictParts, the_answer_of_a_tuned_training_is_what_was_tuned) {
  const VerdictParts parts = parts_of({"9 steps of a.py:2 DataLoader(Images)", "BALANCED: reading",
                                       "tuned: num_workers=0 -> 2: 1.21x (1.10 to 1.32)"});
  EXPECT_EQ(parts.answer, "tuned: num_workers=0 -> 2: 1.21x (1.10 to 1.32)");
  EXPECT_THAT(parts.facts,
              ElementsAre("9 steps of a.py:2 DataLoader(Images)", "BALANCED: reading"));
}

TEST(VerdictParts, changed_lines_are_code_without_location_and_signs) {
  const std::vector<std::string> diff{
      "my train.py:24  - loader = DataLoader(", "                -     data, 4)",
      "                + loader = DataLoader(", "                +     data, 4, num_workers=2)"};
  std::vector<std::string> lines{"INPUT-BOUND: reading"};
  lines.insert(lines.end(), diff.begin(), diff.end());
  lines.emplace_back("each epoch waits 347 ms for its first batch");
  const VerdictParts parts = parts_of(lines);
  EXPECT_EQ(parts.changes, diff);
  EXPECT_EQ(parts.code, "loader = DataLoader(\n    data, 4, num_workers=2)\n");
  EXPECT_THAT(parts.facts, ElementsAre("each epoch waits 347 ms for its first batch"));
}

TEST(VerdictParts, each_of_several_changes_keeps_its_location) {
  const VerdictParts parts =
      parts_of({"BALANCED: reading", "a.py:2  - one(4)", "        + one(4, 2)",
                "train.py:1000  - two(4)", "               + two(4, 3)"});
  EXPECT_EQ(parts.changes.size(), 4U);
  EXPECT_EQ(parts.code, "one(4, 2)\ntwo(4, 3)\n");
}

TEST(VerdictParts, the_first_line_is_the_answer_where_no_other_is_one) {
  EXPECT_EQ(parts_of({"too few steps of a DataLoader were seen"}).answer,
            "too few steps of a DataLoader were seen");
}

TEST(VerdictParts, no_lines_have_no_parts) { EXPECT_EQ(parts_of({}).answer, ""); }

}  // namespace
}  // namespace feedrate
