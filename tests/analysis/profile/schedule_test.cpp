// SPDX-License-Identifier: Apache-2.0
#include "analysis/profile/schedule.h"

#include <vector>

#include <gmock/gmock.h>

namespace feedrate {
namespace {

using ::testing::ElementsAre;

std::vector<std::size_t> recorded(const ProfileSchedule& schedule, std::size_t steps) {
  std::vector<std::size_t> indices;
  for (std::size_t i = 0; i < steps; ++i) {
    if (schedule.records(i)) indices.push_back(i);
  }
  return indices;
}

TEST(ProfileSchedule, equals_torch_profilers) {
  EXPECT_THAT(recorded({.wait = 1, .warmup = 1, .active = 2, .repeat = 1}, 12), ElementsAre(2, 3));
  EXPECT_THAT(recorded({.wait = 1, .warmup = 1, .active = 2, .repeat = 2}, 12),
              ElementsAre(2, 3, 6, 7));
  EXPECT_THAT(recorded({.wait = 1, .warmup = 1, .active = 2, .repeat = 0}, 12),
              ElementsAre(2, 3, 6, 7, 10, 11));
}

TEST(ProfileSchedule, records_everything_by_default) {
  EXPECT_THAT(recorded({}, 3), ElementsAre(0, 1, 2));
}

}  // namespace
}  // namespace feedrate
