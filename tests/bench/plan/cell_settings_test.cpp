// SPDX-License-Identifier: Apache-2.0
#include "bench/plan/cell_settings.h"

#include <gtest/gtest.h>

namespace feedrate {
namespace {

Settings some() {
  return {{"num_workers", std::int64_t{4}}, {"pin_memory", true}, {"format", std::string("tar")}};
}

TEST(CellSettings, are_the_same_as_text_and_back) {
  const CellSettings cell = some();
  EXPECT_EQ(Settings(cell), some());
  EXPECT_EQ(cell.count(KnobId::num_workers), 4);
  EXPECT_EQ(cell.text(KnobId::pin_memory), "true");
  EXPECT_EQ(cell.find(KnobId::drop_last), nullptr);
  EXPECT_EQ(cell.text(KnobId::drop_last), "");
}

TEST(CellSettings, leave_out_names_that_are_no_knobs) {
  Settings result = some();
  result.push_back({"learning_rate", 0.1});
  EXPECT_EQ(Settings(CellSettings(result)), some());
}

TEST(CellSettings, of_a_copy_change_alone) {
  const CellSettings cell = some();
  CellSettings other = cell;
  other.set(KnobId::num_workers, std::int64_t{8});
  EXPECT_EQ(cell.count(KnobId::num_workers), 4);
  EXPECT_EQ(other.count(KnobId::num_workers), 8);
  EXPECT_FALSE(cell == other);
  other.set(KnobId::num_workers, std::int64_t{4});
  EXPECT_TRUE(cell == other);
  EXPECT_EQ(cell.hash(), other.hash());
}

TEST(CellSettings, are_compared_by_value_where_they_share_none) {
  EXPECT_TRUE(CellSettings(some()) == CellSettings(some()));
  CellSettings fewer;
  fewer.set(KnobId::num_workers, std::int64_t{4});
  EXPECT_FALSE(CellSettings(some()) == fewer);
}

}  // namespace
}  // namespace feedrate
