#include <algorithm>
#include <cmath>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "bench/limits/petabyte.h"

namespace feedrate {
namespace {

using ::testing::ElementsAre;

std::vector<std::string> measured(const Limits& limits) {
  std::vector<std::string> names;
  for (const PetabyteRow& row : petabyte_rows(limits)) {
    if (!row.is_nominal) names.push_back(row.what);
  }
  return names;
}

TEST(Petabyte, takes_nine_hours_at_thirty_gigabytes_a_second) {
  EXPECT_DOUBLE_EQ(petabyte_seconds(30e9), 1e6 / 30);
  EXPECT_EQ(long_time_text(petabyte_seconds(30e9)), "9.26 hours");
  EXPECT_EQ(long_time_text(petabyte_seconds(1e9)), "11.6 days");
  EXPECT_EQ(long_time_text(petabyte_seconds(10e6)), "3.17 years");
}

TEST(Petabyte, times_have_the_unit_that_people_think_in) {
  EXPECT_EQ(long_time_text(90.0), "90.0 seconds");
  EXPECT_EQ(long_time_text(120.0), "2.00 minutes");
  EXPECT_EQ(long_time_text(86'400.0), "24.0 hours");
  EXPECT_EQ(long_time_text(2 * 86'400.0), "2.00 days");
  EXPECT_EQ(long_time_text(700 * 86'400.0), "700 days");
}

TEST(Petabyte, counts_what_moves_bytes_and_was_measured_slowest_first) {
  const auto row = [](const char* topic, const char* name, const char* unit, double value) {
    return Limit{.topic = topic, .name = name, .unit = unit, .value = value};
  };
  Limits limits;
  limits.sections.push_back(
      {.rows = {row("memory", "copy", "B/s", 2e10), row("memory", "failed", "B/s", std::nan("")),
                row("storage", "random cold", "B/s", 1e8), row("transports", "ring", "B/s", 1e9),
                row("workers", "fork", "s", 1e-3), row("device", "copy pinned", "B/s", 5e10)}});
  EXPECT_THAT(measured(limits),
              ElementsAre("storage: random cold", "memory: copy", "device: copy pinned"));
}

TEST(Petabyte, compares_with_links_as_they_are_sold) {
  const auto rows = petabyte_rows({});
  ASSERT_FALSE(rows.empty());
  EXPECT_TRUE(
      std::all_of(rows.begin(), rows.end(), [](const PetabyteRow& row) { return row.is_nominal; }));
  EXPECT_TRUE(std::is_sorted(rows.begin(), rows.end(), [](const auto& a, const auto& b) {
    return a.bytes_per_second < b.bytes_per_second;
  }));
}

}  // namespace
}  // namespace feedrate
