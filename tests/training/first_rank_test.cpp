// SPDX-License-Identifier: Apache-2.0
#include "training/first_rank.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace feedrate::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

ScriptProcess process_of(std::size_t rank) {
  ScriptProcess process;
  process.rank = rank;
  return process;
}

ScriptLoader loader_of(std::size_t rank, std::size_t ranks) {
  ScriptLoader loader;
  loader.rank = rank;
  loader.ranks = ranks;
  return loader;
}

class First : public ::testing::Test {
 protected:
  FirstRank first_{[this](std::size_t, const ScriptMessage& message) {
    if (const auto* process = std::get_if<ScriptProcess>(&message)) {
      ranks_.push_back(process->rank);
    } else if (const auto* loader = std::get_if<ScriptLoader>(&message)) {
      ranks_.push_back(loader->rank);
    } else {
      ++others_;
    }
  }};
  std::vector<std::size_t> ranks_;
  std::size_t others_ = 0;
};

TEST_F(First, is_rank_0_for_which_others_wait) {
  first_.add(0, process_of(1), Nanos(0));
  first_.add(0, ScriptMarks{}, Nanos(0));
  EXPECT_THAT(ranks_, IsEmpty());
  first_.add(1, process_of(0), Nanos(0));
  EXPECT_THAT(ranks_, ElementsAre(1, 0));
  EXPECT_EQ(others_, 1U);
  EXPECT_EQ(first_.stand_in(), std::nullopt);
}

TEST_F(First, is_the_first_that_connected_without_rank_0) {
  first_.add(0, process_of(3), Nanos(0));
  first_.add(0, loader_of(3, 8), Nanos(0));
  first_.add(1, process_of(2), Nanos(0));
  first_.advance(std::chrono::seconds(1));
  EXPECT_THAT(ranks_, IsEmpty());
  first_.advance(std::chrono::minutes(1));
  EXPECT_THAT(ranks_, ElementsAre(0, 0, 2));
  EXPECT_EQ(first_.stand_in(), 3U);
  first_.add(2, process_of(0), std::chrono::minutes(2));
  EXPECT_EQ(ranks_.back(), 3U) << "no rank exists twice";
}

TEST_F(First, is_known_at_the_end_of_a_short_script) {
  first_.add(0, process_of(3), Nanos(0));
  first_.finish();
  EXPECT_THAT(ranks_, ElementsAre(0));
}

TEST_F(First, is_rank_0_of_torch_distributed) {
  first_.add(0, process_of(1), Nanos(0));
  first_.add(0, loader_of(0, 2), Nanos(0));
  EXPECT_EQ(first_.stand_in(), std::nullopt);
  EXPECT_THAT(ranks_, ElementsAre(1, 0));
}

}  // namespace
}  // namespace feedrate::testing
