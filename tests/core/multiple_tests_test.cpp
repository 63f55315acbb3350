// SPDX-License-Identifier: Apache-2.0
#include "core/multiple_tests.h"

#include <algorithm>

#include <gtest/gtest.h>

namespace feedrate {
namespace {

using Rejected = std::vector<bool>;

// The example of Benjamini and Hochberg's paper: 15 p values at 5 %, the first four are rejected;
// 0.0201 and 0.0278 are above their limits, 0.05 · 5 / 15 and so on. (Bonferroni rejects three.)
TEST(FalseDiscoveryRate, gives_the_example_of_its_authors) {
  const std::vector<double> p{0.0001, 0.0004, 0.0019, 0.0095, 0.0201, 0.0278, 0.0298, 0.0344,
                              0.0459, 0.3240, 0.4262, 0.5719, 0.6528, 0.7590, 1.0};
  Rejected expected(15, false);
  std::fill_n(expected.begin(), 4, true);
  EXPECT_EQ(reject_by_false_discovery_rate(p, 0.05), expected);
}

TEST(FalseDiscoveryRate, keeps_the_order_of_the_tests) {
  const std::vector<double> p{0.9, 0.001, 0.5, 0.002};
  EXPECT_EQ(reject_by_false_discovery_rate(p, 0.05), (Rejected{false, true, false, true}));
}

TEST(FalseDiscoveryRate, rejects_one_test_alone_at_the_level_itself) {
  EXPECT_EQ(reject_by_false_discovery_rate(std::vector{0.025}, 0.025), Rejected{true});
  EXPECT_EQ(reject_by_false_discovery_rate(std::vector{0.026}, 0.025), Rejected{false});
}

// Each p value is above level / m, but the largest is below the level.
TEST(FalseDiscoveryRate, rejects_many_weak_tests_that_agree) {
  EXPECT_EQ(reject_by_false_discovery_rate(std::vector{0.02, 0.021, 0.022}, 0.025),
            Rejected(3, true));
}

TEST(FalseDiscoveryRate, rejects_nothing_of_nothing) {
  EXPECT_TRUE(reject_by_false_discovery_rate({}, 0.05).empty());
}

}  // namespace
}  // namespace feedrate
