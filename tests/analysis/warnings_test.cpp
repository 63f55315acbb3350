// SPDX-License-Identifier: Apache-2.0
#include "analysis/warnings.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace feedrate {
namespace {

using ::testing::ElementsAre;

TEST(Warnings, are_shown_the_largest_first_and_the_rest_in_their_order) {
  EXPECT_THAT(largest_first({"The dataset is smaller than memory.", "10 steps per repeat are few.",
                             "The governor is powersave.", "sim:x is a model, not a GPU."}),
              ElementsAre("sim:x is a model, not a GPU.", "10 steps per repeat are few.",
                          "The dataset is smaller than memory.", "The governor is powersave."));
}

}  // namespace
}  // namespace feedrate
