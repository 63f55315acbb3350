// SPDX-License-Identifier: Apache-2.0
#include "bench/engines/cache_state.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/error.h"
#include "core/host/page_cache.h"
#include "core/host/storage.h"
#include "tests/support/message_of.h"
#include "tests/support/temp_folder.h"

namespace feedrate {
namespace {

using ::testing::HasSubstr;

class CacheFiles : public ::testing::Test {
 protected:
  void SetUp() override {
    if (read_storage_info(folder_.path()).file_system == "tmpfs") {
      GTEST_SKIP() << "tmpfs keeps its files in memory: " << folder_.path();
    }
    testing::write_file(folder_ / "a", std::string(100'000, 'x'));
    testing::write_file(folder_ / "b", std::string(5'000, 'y'));
  }

  testing::TempFolder folder_;
  const std::vector<std::filesystem::path> files_{folder_ / "a", folder_ / "b"};
};

TEST_F(CacheFiles, cold_drops_them_and_warm_reads_them) {
  apply_cache_state(CacheState::kCold, files_, {});
  EXPECT_EQ(resident_share(files_), 0.0);
  apply_cache_state(CacheState::kAsIs, files_, {});
  EXPECT_EQ(resident_share(files_), 0.0);
  apply_cache_state(CacheState::kWarm, files_, {});
  EXPECT_EQ(resident_share(files_), 1.0);
}

TEST_F(CacheFiles, warm_ends_when_it_is_stopped) {
  apply_cache_state(CacheState::kCold, files_, {});
  std::stop_source stop;
  stop.request_stop();
  EXPECT_THROW(apply_cache_state(CacheState::kWarm, files_, stop.get_token()), Cancelled);
}

TEST_F(CacheFiles, cold_names_a_file_that_cannot_be_dropped) {
  const std::vector<std::filesystem::path> files{folder_ / "missing"};
  EXPECT_THAT(testing::message_of<ConfigError>(
                  [&] { return apply_cache_state(CacheState::kCold, files, {}); }),
              HasSubstr("cache cold: 1 of 1 files"));
}

TEST(CacheWarning, names_the_state_that_was_asked_for_and_not_found) {
  EXPECT_THAT(warning_about(CacheState::kCold, 0.34), HasSubstr("cache cold: 34 %"));
  EXPECT_THAT(warning_about(CacheState::kWarm, 0.70), HasSubstr("cache warm: only 70 %"));
  for (const double share : {0.0, 0.01}) EXPECT_EQ(warning_about(CacheState::kCold, share), "");
  EXPECT_EQ(warning_about(CacheState::kWarm, 1.0), "");
  for (const double share : {0.0, 0.5, 1.0}) EXPECT_EQ(warning_about(CacheState::kAsIs, share), "");
}

TEST(StaysCold, counts_all_that_a_start_loads) {
  // 2 short epochs of 2 batches, the first batch, 8 discarded, 16 kept, 8 in flight at the end.
  const ProtocolOptions protocol{.steps = 10, .num_workers = 2, .max_outstanding = 8};
  EXPECT_NO_THROW(check_stays_cold(protocol, 10, 370));
  EXPECT_THROW(check_stays_cold(protocol, 10, 369), ConfigError);
}

}  // namespace
}  // namespace feedrate
