// SPDX-License-Identifier: Apache-2.0
#include "analysis/reference.h"

#include <gtest/gtest.h>

#include "tests/analysis/report/sample_run.h"

namespace feedrate {
namespace {

std::vector<CellResult> cells_of(const std::string& name, const std::vector<SettingValue>& values) {
  std::vector<CellResult> cells;
  for (const SettingValue& value : values) {
    cells.push_back(measured_cell(cells.size(), {{name, value}}, 1.0));
  }
  return cells;
}

std::vector<const CellResult*> all_of(const std::vector<CellResult>& cells) {
  std::vector<const CellResult*> all;
  for (const CellResult& cell : cells) all.push_back(&cell);
  return all;
}

TEST(ReferenceValue, is_the_default_of_pytorch_where_it_was_measured) {
  const auto workers = cells_of("num_workers", {std::int64_t(4), std::int64_t(0), std::int64_t(2)});
  EXPECT_EQ(reference_value(all_of(workers), "num_workers"), "0");
  const auto pinned = cells_of("pin_memory", {true, false});
  EXPECT_EQ(reference_value(all_of(pinned), "pin_memory"), "false");
}

TEST(ReferenceValue, is_else_the_first) {
  const auto workers = cells_of("num_workers", {std::int64_t(4), std::int64_t(2)});
  EXPECT_EQ(reference_value(all_of(workers), "num_workers"), "4");
  const auto formats = cells_of("format", {std::string("tar"), std::string("folder")});
  EXPECT_EQ(reference_value(all_of(formats), "format"), "tar");
}

TEST(ReferenceValue, is_not_one_without_a_meaning) {
  const auto prefetch = cells_of("prefetch_factor", {std::string(), std::int64_t(8)});
  EXPECT_EQ(reference_value(all_of(prefetch), "prefetch_factor"), "8");
}

TEST(AtReference, is_a_cell_with_the_reference_values_or_none) {
  std::vector<CellResult> cells = cells_of("num_workers", {std::int64_t(0), std::int64_t(2)});
  cells[0].settings.push_back({"prefetch_factor", std::string()});
  cells[1].settings.push_back({"prefetch_factor", std::int64_t(8)});
  const std::vector<std::string> names{"num_workers", "prefetch_factor"};
  EXPECT_TRUE(is_at_reference(cells[0], all_of(cells), names));
  EXPECT_FALSE(is_at_reference(cells[1], all_of(cells), names));
}

}  // namespace
}  // namespace feedrate
