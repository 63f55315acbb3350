// SPDX-License-Identifier: Apache-2.0
#include "analysis/conditions.h"

#include <gtest/gtest.h>

#include "tests/analysis/report/sample_run.h"

namespace feedrate {
namespace {

TEST(Conditions, are_what_a_user_of_dataloader_does_not_choose) {
  EXPECT_TRUE(is_condition("device"));
  EXPECT_TRUE(is_condition("cache"));
  EXPECT_TRUE(is_condition("engine"));
  EXPECT_TRUE(is_condition("group_by_length"));
  EXPECT_TRUE(is_condition("site")) << "which loader of a script";
  EXPECT_TRUE(is_condition("disturbance_readers")) << "of older results";
  EXPECT_FALSE(is_condition("num_workers"));
  EXPECT_FALSE(is_condition("format"));
}

TEST(Conditions, that_vary_are_named) {
  const CellResult a = measured_cell(
      0, {{"num_workers", std::int64_t{0}}, {"step_ms", 1.0}, {"device", std::string("cuda")}},
      1.0);
  const CellResult b = measured_cell(
      1, {{"num_workers", std::int64_t{1}}, {"step_ms", 2.0}, {"device", std::string("cuda")}},
      1.0);
  EXPECT_EQ(varying_conditions({&a, &b}), std::vector<std::string>{"step_ms"});
}

}  // namespace
}  // namespace feedrate
