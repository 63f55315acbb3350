// SPDX-License-Identifier: Apache-2.0
#include "core/setting.h"

#include <gtest/gtest.h>

namespace feedrate {
namespace {

TEST(SettingValue, prints_as_yaml_and_csv_write_it) {
  EXPECT_EQ(to_string(SettingValue(true)), "true");
  EXPECT_EQ(to_string(SettingValue(std::int64_t{16})), "16");
  EXPECT_EQ(to_string(SettingValue(0.5)), "0.5");
  EXPECT_EQ(to_string(SettingValue(std::string("folder"))), "folder");
}

TEST(FindSetting, finds_by_name_and_says_when_there_is_none) {
  const Settings settings{{"num_workers", std::int64_t{4}}};
  ASSERT_NE(find_setting(settings, "num_workers"), nullptr);
  EXPECT_EQ(to_string(*find_setting(settings, "num_workers")), "4");
  EXPECT_EQ(find_setting(settings, "shuffle"), nullptr);
}

TEST(TextOf, is_empty_where_nothing_is_set) {
  const Settings settings{{"num_workers", std::int64_t{4}}};
  EXPECT_EQ(text_of(settings, "num_workers"), "4");
  EXPECT_EQ(text_of(settings, "shuffle"), "");
}

TEST(CountOf, takes_whole_numbers_only) {
  const Settings settings{{"num_workers", std::int64_t{4}}, {"step_ms", 2.5}};
  EXPECT_EQ(count_of(settings, "num_workers", 1), 4);
  EXPECT_EQ(count_of(settings, "step_ms", 1), 1);
  EXPECT_EQ(count_of(settings, "shuffle"), 0);
}

}  // namespace
}  // namespace feedrate
