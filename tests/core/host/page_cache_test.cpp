// SPDX-License-Identifier: Apache-2.0
#include "core/host/page_cache.h"

#include <cmath>
#include <vector>

#include <gtest/gtest.h>

#include "core/host/storage.h"
#include "tests/core/host/fake_root.h"

namespace feedrate {
namespace {

using Files = std::vector<std::filesystem::path>;

TEST(PageCache, holds_a_file_that_was_just_written) {
  const FakeRoot root;
  const Files files{root.write("a", std::string(100'000, 'x')), root.write("b", "y")};
  const Residency residency = page_cache_residency(files);
  EXPECT_EQ(residency.total_bytes, 100'001U);
  EXPECT_EQ(residency.resident_bytes, 100'001U);
  EXPECT_EQ(residency.unknown_files, 0U);
  EXPECT_EQ(resident_share(files), 1.0);
}

TEST(PageCache, forgets_a_file_that_is_dropped) {
  const FakeRoot root;
  const Files files{root.write("a", std::string(100'000, 'x'))};
  if (read_storage_info(root.path()).file_system == "tmpfs") {
    GTEST_SKIP() << "tmpfs keeps its files in memory: " << files[0];
  }
  EXPECT_EQ(drop_page_cache(files), 0U);
  EXPECT_EQ(resident_share(files), 0.0);
}

TEST(PageCache, counts_files_it_cannot_inspect) {
  const FakeRoot root;
  const Files files{root.path() / "missing", root.path(), root.write("a", "x")};
  EXPECT_EQ(page_cache_residency(files).unknown_files, 2U);
  EXPECT_EQ(page_cache_residency(files).share(), 1.0);
  EXPECT_EQ(drop_page_cache(Files{root.path() / "missing"}), 1U);
}

TEST(PageCache, has_no_share_without_bytes) {
  const FakeRoot root;
  EXPECT_TRUE(std::isnan(resident_share(Files{})));
  EXPECT_TRUE(std::isnan(resident_share(Files{root.write("empty", "")})));
}

TEST(SomeOf, keeps_few_files_and_spreads_a_thousand_over_many) {
  const std::vector<std::filesystem::path> few{"a", "b"};
  EXPECT_EQ(some_of(few), few);
  std::vector<std::filesystem::path> many;
  for (int i = 0; i < 2500; ++i) many.emplace_back(std::to_string(i));
  const auto some = some_of(many);
  ASSERT_EQ(some.size(), 1000U);
  EXPECT_EQ(some.front(), "0");
  EXPECT_EQ(some[500], "1250");
  EXPECT_EQ(some.back(), "2497");
}

}  // namespace
}  // namespace feedrate
