// SPDX-License-Identifier: Apache-2.0
#include "core/result.h"

#include <gtest/gtest.h>

#include "core/error.h"

namespace feedrate {
namespace {

TEST(Outcome, comes_back_from_its_word) {
  for (const Outcome outcome :
       {Outcome::kPending, Outcome::kOk, Outcome::kSkipped, Outcome::kFailed}) {
    EXPECT_EQ(outcome_from_string(to_string(outcome)), outcome);
  }
}

TEST(Outcome, of_an_unknown_word_is_an_error) {
  EXPECT_THROW(static_cast<void>(outcome_from_string("fine")), FormatError);
}

TEST(FindMetric, is_null_for_what_is_missing) {
  const std::vector<Metric> metrics{{"au", 0.5}};
  EXPECT_EQ(*find_metric(metrics, "au"), 0.5);
  EXPECT_EQ(find_metric(metrics, "memory"), nullptr);
}

}  // namespace
}  // namespace feedrate
