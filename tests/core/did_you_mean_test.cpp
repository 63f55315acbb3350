// SPDX-License-Identifier: Apache-2.0
#include "core/did_you_mean.h"

#include <gtest/gtest.h>

namespace feedrate {
namespace {

TEST(did_you_mean, names_the_word_with_the_fewest_letters_to_change) {
  EXPECT_EQ(did_you_mean("num_worker", {"steps", "num_workers", "workers"}),
            "; did you mean num_workers?");
}

TEST(did_you_mean, is_silent_where_nothing_is_close) {
  EXPECT_EQ(did_you_mean("chunk", {"num_workers", "prefetch_factor"}), "");
  EXPECT_EQ(did_you_mean("chunk", {}), "");
}

}  // namespace
}  // namespace feedrate
