// SPDX-License-Identifier: Apache-2.0
#include "analysis/tuner/settings.h"

#include <gtest/gtest.h>

namespace feedrate {
namespace {

Settings cell(std::int64_t workers, const char* format, const char* loader = "dataloader") {
  return {{"num_workers", workers},
          {"format", std::string(format)},
          {"transport", std::string(workers == 0 ? "" : "fresh")},
          {"batch_size", std::int64_t{8}},
          {"loader", std::string(loader)}};
}

TEST(tuner_settings, workers_and_mocks_do_not_change_the_work) {
  EXPECT_TRUE(same_work(cell(1, "tar"), cell(4, "tar")));
  EXPECT_TRUE(same_work(cell(0, "tar"), cell(4, "tar")));
}

TEST(tuner_settings, another_format_or_batch_size_does) {
  EXPECT_FALSE(same_work(cell(1, "tar"), cell(1, "lmdb")));
  EXPECT_FALSE(same_work(cell(1, "tar"), cell(1, "")));
  Settings larger = cell(1, "tar");
  larger[3].value = std::int64_t{16};
  EXPECT_FALSE(same_work(cell(1, "tar"), larger));
}

TEST(tuner_settings, the_cached_loader_has_no_format) {
  EXPECT_TRUE(same_work(cell(0, "", "cached"), cell(2, "tar")));
  EXPECT_TRUE(same_work(cell(2, "tar"), cell(0, "", "cached")));
}

TEST(tuner_settings, what_has_no_meaning_is_at_pytorchs_default) {
  const LoopSettings loop = loop_settings({{"num_workers", std::int64_t{0}},
                                           {"prefetch_factor", std::string()},
                                           {"in_order", std::string()}});
  EXPECT_EQ(loop.prefetch_factor, 2);
  EXPECT_TRUE(loop.in_order);
  EXPECT_FALSE(loop.pin_memory);
}

TEST(tuner_settings, non_blocking_means_nothing_without_pinning) {
  EXPECT_FALSE(loop_settings({{"non_blocking", true}, {"pin_memory", false}}).non_blocking);
}

}  // namespace
}  // namespace feedrate
