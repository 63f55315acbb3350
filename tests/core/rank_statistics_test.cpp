// SPDX-License-Identifier: Apache-2.0
#include "core/rank_statistics.h"

#include <cmath>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace feedrate {
namespace {

using ::testing::ElementsAre;
using Values = std::vector<double>;

struct Golden {
  Values a;
  Values b;
  double tau;
  double rho;
};

// Values of scipy.stats.kendalltau(a, b, variant="b") and spearmanr(a, b).
TEST(RankStatistics, are_those_of_scipy_with_ties_and_without) {
  const std::vector<Golden> all{
      {{1, 2, 3, 4, 5}, {1, 2, 3, 4, 5}, 1.0, 1.0},
      {{1, 2, 3, 4, 5}, {5, 4, 3, 2, 1}, -1.0, -1.0},
      {{12, 2, 1, 12, 2}, {1, 4, 7, 1, 0}, -0.4714045207910316, -0.5407380704358752},
      {{1, 2, 2, 3, 3, 3, 4}, {2, 1, 2, 3, 3, 5, 4}, 0.6676978608895886, 0.8098544298396251},
      {{10.5, 9.1, 9.1, 7.7, 30.2, 30.2, 1.0, 4.0},
       {1.5, 1.2, 1.3, 1.2, 9.0, 8.0, 1.2, 0.1},
       0.8236877675803729,
       0.9013032569427506}};
  for (const Golden& golden : all) {
    EXPECT_NEAR(kendall_tau_b(golden.a, golden.b), golden.tau, 1e-14);
    EXPECT_NEAR(spearman_rho(golden.a, golden.b), golden.rho, 1e-14);
  }
}

TEST(RankStatistics, are_not_a_number_where_nothing_can_be_ranked) {
  for (const auto& [a, b] :
       {std::pair{Values{1, 2}, Values{3, 3}}, {Values{1}, Values{1}}, {{}, {}}}) {
    EXPECT_TRUE(std::isnan(kendall_tau_b(a, b)));
    EXPECT_TRUE(std::isnan(spearman_rho(a, b)));
  }
}

TEST(KendallTauB, takes_a_subset_of_the_pairs) {
  const Values a{1, 2, 3}, b{1, 3, 2};
  EXPECT_DOUBLE_EQ(kendall_tau_b(a, b), 1.0 / 3.0);
  EXPECT_DOUBLE_EQ(kendall_tau_b(a, b, std::vector<IndexPair>{{0, 1}, {2, 0}}), 1.0);
  EXPECT_TRUE(std::isnan(kendall_tau_b(a, b, std::vector<IndexPair>{})));
}

TEST(FractionalRanks, share_the_mean_place_among_ties) {
  EXPECT_THAT(fractional_ranks(Values{30, 10, 20, 20}), ElementsAre(4.0, 1.0, 2.5, 2.5));
}

}  // namespace
}  // namespace feedrate
