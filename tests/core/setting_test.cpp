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

}  // namespace
}  // namespace feedrate
