// SPDX-License-Identifier: Apache-2.0
#include "analysis/columns.h"

#include <set>

#include <gtest/gtest.h>

#include "tests/support/golden.h"

namespace feedrate {
namespace {

TEST(Columns, have_different_tags) {
  std::set<std::string_view> tags;
  for (const Column& column : metric_columns())
    EXPECT_TRUE(tags.insert(column.tag).second) << column.tag;
}

TEST(Columns, say_how_to_read_both_ends_of_a_ratio) {
  for (const Column& column : metric_columns()) {
    if (column.unit != Unit::kRatio) continue;
    EXPECT_NE(column.meaning.find("1:"), std::string_view::npos) << column.tag;
    EXPECT_NE(column.meaning.find("0:"), std::string_view::npos) << column.tag;
  }
}

TEST(Columns, are_found_by_tag) {
  ASSERT_NE(find_column("au"), nullptr);
  EXPECT_EQ(find_column("au")->unit, Unit::kRatio);
  EXPECT_EQ(find_column("num_workers"), nullptr);
}

TEST(Columns, match_their_documentation) { expect_golden(columns_markdown(), "docs/columns.md"); }

}  // namespace
}  // namespace feedrate
