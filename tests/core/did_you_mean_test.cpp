// SPDX-License-Identifier: Apache-2.0
#include "core/did_you_mean.h"

#include <gtest/gtest.h>

namespace feedrate {
namespace {

TEST(did_you_mean, names_the_word_with_the_fewest_letters_to_change) {
  EXPECT_EQ(did_you_mean("num_worker", {"steps", "num_workers", "workers"}),
            "; did you mean num_workers?");
}

TEST(did_you_mean, prefers_the_shortest_word_that_begins_so) {
  EXPECT_EQ(did_you_mean("sim:a100", {"sim:h100-pcie5", "sim:a100-pcie4-long", "sim:a100-pcie4"}),
            "; did you mean sim:a100-pcie4?");
  EXPECT_EQ(did_you_mean("fo", {"folder"}), "") << "too short to begin anything";
  EXPECT_EQ(did_you_mean("workers", {"persistent_workers", "num_workers"}),
            "; did you mean num_workers?");
}

TEST(did_you_mean_or_list, lists_all_if_no_word_is_close) {
  EXPECT_EQ(did_you_mean_or_list("swep", {"sweep", "plan"}),
            "; did you mean sweep? It is one of sweep, plan");
  EXPECT_EQ(did_you_mean_or_list("frobnicate", {"sweep", "plan"}), "; must be one of sweep, plan");
}

TEST(did_you_mean, is_empty_if_no_word_is_close) {
  EXPECT_EQ(did_you_mean("chunk", {"num_workers", "prefetch_factor"}), "");
  EXPECT_EQ(did_you_mean("chunk", {}), "");
}

}  // namespace
}  // namespace feedrate
