// SPDX-License-Identifier: Apache-2.0
#include "bench/limits/test_file.h"

#include <cmath>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "bench/limits/measure.h"
#include "bench/limits/team.h"
#include "core/error.h"
#include "core/host/storage.h"
#include "tests/support/temp_folder.h"

namespace feedrate {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::SizeIs;

TEST(TestFile, has_different_blocks_and_reads_them) {
  const testing::TempFolder folder;
  const TestFile file(folder / "file", 100'000, {});
  EXPECT_EQ(std::filesystem::file_size(folder / "file"), 100'000U);
  std::vector<std::byte> first(1000), last(1000);
  file.read(0, first);
  file.read(99, last);
  EXPECT_NE(first, last);
  EXPECT_THROW(file.read(100, last), Error);
}

TEST(TestFile, is_not_written_after_a_stop_request) {
  const testing::TempFolder folder;
  std::stop_source stop;
  stop.request_stop();
  EXPECT_THROW(TestFile(folder / "file", 100'000, stop.get_token()), Cancelled);
}

TEST(TestFile, is_cold_after_a_drop_and_warm_after_a_fill) {
  const testing::TempFolder folder;
  if (read_storage_info(folder.path()).file_system == "tmpfs") {
    GTEST_SKIP() << "tmpfs keeps its files in memory: " << folder.path();
  }
  TestFile file(folder / "file", 1'000'000, {});
  EXPECT_EQ(file.drop(), 0.0);
  EXPECT_EQ(file.fill({}), 1.0);
  EXPECT_EQ(file.drop(), 0.0);
  EXPECT_EQ(file.fill({}), 1.0);
}

TEST(WhyNotCold, reports_the_cached_share) {
  EXPECT_EQ(why_not_cold(0.0), "");
  EXPECT_EQ(why_not_cold(0.005), "");
  EXPECT_EQ(why_not_cold(0.25), "not cold: 25 % stayed in the page cache");
  EXPECT_THAT(why_not_cold(std::nan("")), HasSubstr("possibly not cold"));
}

TEST(WhyNotWarm, reports_the_cached_share) {
  EXPECT_EQ(why_not_warm(1.0), "");
  EXPECT_EQ(why_not_warm(0.5), "not warm: only 50 % is in the page cache");
}

// Files on tmpfs are in the page cache and cannot be cold.
TEST(ColdLimits, have_a_warning_on_tmpfs) {
  const std::filesystem::path shm = "/dev/shm";
  if (!std::filesystem::is_directory(shm) || read_storage_info(shm).file_system != "tmpfs") {
    GTEST_SKIP() << "there is no tmpfs at " << shm;
  }
  LimitsOptions options;
  options.folder = shm;
  options.only = "cold.*/threads:1$";
  options.min_time = 1e-6;
  options.scale.file_bytes = 2 * kMebibyte;
  options.scale.small_files = 20;
  const Limits limits = measure_limits(options, {}, {});
  ASSERT_THAT(limits.sections, SizeIs(2));
  for (const LimitSection& section : limits.sections) {
    for (const Limit& row : section.rows) {
      EXPECT_EQ(row.warning, "not cold: 100 % stayed in the page cache") << id_of(row);
    }
  }
}

TEST(RunTogether, runs_each_thread_once_and_returns_a_time) {
  std::vector<int> runs(5);
  EXPECT_GE(run_together(5, [&](int thread) { ++runs[static_cast<std::size_t>(thread)]; }), 0.0);
  EXPECT_EQ(runs, std::vector<int>(5, 1));
}

TEST(RunTogether, rethrows_the_exception_of_a_thread) {
  EXPECT_THROW(static_cast<void>(run_together(3,
                                              [](int thread) {
                                                if (thread == 1) throw Error("x");
                                              })),
               Error);
}

}  // namespace
}  // namespace feedrate
