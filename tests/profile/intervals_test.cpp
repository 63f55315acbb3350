#include "profile/intervals.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/random.h"

namespace feedrate {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

TimeInterval span(int begin, int end) { return {Nanos(begin), Nanos(end)}; }

TEST(Intervals, merged_joins_what_touches_and_drops_what_is_empty) {
  EXPECT_THAT(merged({span(5, 7), span(0, 2), span(2, 3), span(9, 9), span(6, 8)}),
              ElementsAre(span(0, 3), span(5, 8)));
  EXPECT_THAT(merged({}), IsEmpty());
}

TEST(Intervals, intersection_by_hand) {
  EXPECT_THAT(intersection({span(0, 10), span(20, 30)}, {span(5, 25), span(29, 40)}),
              ElementsAre(span(5, 10), span(20, 25), span(29, 30)));
  EXPECT_THAT(intersection({span(0, 5)}, {span(5, 9)}), IsEmpty());
}

TEST(Intervals, total_length_counts_overlaps_once) {
  EXPECT_EQ(total_length({span(0, 10), span(5, 12), span(20, 21)}), Nanos(13));
}

// Against the definition: a bit for each instant.
TEST(Intervals, agree_with_counting_instants) {
  RandomStream random(42);
  for (int round = 0; round < 500; ++round) {
    std::vector<TimeInterval> sets[2];
    std::vector<bool> bits[2] = {std::vector<bool>(64), std::vector<bool>(64)};
    for (int which = 0; which < 2; ++which) {
      for (std::uint64_t i = random.below(6); i > 0; --i) {
        const int begin = static_cast<int>(random.below(64));
        const int end =
            begin + static_cast<int>(random.below(static_cast<std::uint64_t>(65 - begin)));
        sets[which].push_back(span(begin, end));
        for (int t = begin; t < end; ++t) bits[which][static_cast<std::size_t>(t)] = true;
      }
    }
    int in_first = 0, in_both = 0;
    for (std::size_t t = 0; t < 64; ++t) {
      in_first += bits[0][t] ? 1 : 0;
      in_both += bits[0][t] && bits[1][t] ? 1 : 0;
    }
    EXPECT_EQ(total_length(sets[0]), Nanos(in_first));
    EXPECT_EQ(total_length(intersection(sets[0], sets[1])), Nanos(in_both));
  }
}

}  // namespace
}  // namespace feedrate
