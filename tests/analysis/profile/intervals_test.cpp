// SPDX-License-Identifier: Apache-2.0
#include "analysis/profile/intervals.h"

#include <bitset>
#include <utility>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/random.h"

namespace feedrate {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

TimeInterval span(int begin, int end) { return {Nanos(begin), Nanos(end)}; }

TEST(Intervals, merged_joins_touching_and_drops_empty_intervals) {
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

TEST(Intervals, subtraction_by_hand) {
  EXPECT_THAT(subtraction({span(0, 10), span(20, 30)}, {span(3, 5), span(8, 22), span(30, 40)}),
              ElementsAre(span(0, 3), span(5, 8), span(22, 30)));
  EXPECT_THAT(subtraction({span(2, 4)}, {span(0, 9)}), IsEmpty());
  EXPECT_THAT(subtraction({span(2, 4)}, {}), ElementsAre(span(2, 4)));
}

TEST(Intervals, length_within_a_window_by_hand) {
  const std::vector<TimeInterval> disjoint = {span(0, 10), span(20, 30), span(40, 50)};
  EXPECT_EQ(length_within(disjoint, span(5, 45)), Nanos(20));
  EXPECT_EQ(length_within(disjoint, span(10, 20)), Nanos(0));
  EXPECT_EQ(length_within(disjoint, span(45, 5)), Nanos(0));
}

// The definition: one bit per instant.
using Instants = std::bitset<64>;

Instants instants(const std::vector<TimeInterval>& intervals) {
  Instants within;
  for (const TimeInterval& interval : intervals) {
    for (auto t = interval.begin.count(); t < interval.end.count(); ++t) {
      within.set(static_cast<std::size_t>(t));
    }
  }
  return within;
}

TimeInterval random_span(RandomStream& random) {
  const auto begin = static_cast<int>(random.below(64));
  return span(begin, begin + static_cast<int>(random.below(65 - static_cast<unsigned>(begin))));
}

std::vector<TimeInterval> random_spans(RandomStream& random) {
  std::vector<TimeInterval> spans;
  for (std::uint64_t i = random.below(9); i > 0; --i) spans.push_back(random_span(random));
  return spans;
}

bool is_disjoint_and_in_order(const std::vector<TimeInterval>& intervals) {
  for (std::size_t i = 0; i < intervals.size(); ++i) {
    if (intervals[i].end <= intervals[i].begin) return false;
    if (i > 0 && intervals[i].begin < intervals[i - 1].end) return false;
  }
  return true;
}

TEST(Intervals, agree_with_counting_instants) {
  RandomStream random(42);
  for (int round = 0; round < 2000; ++round) {
    const std::vector<TimeInterval> a = random_spans(random);
    const std::vector<TimeInterval> b = random_spans(random);
    const TimeInterval window = random_span(random);
    const Instants in_a = instants(a), in_b = instants(b), in_window = instants({window});
    for (const auto& [result, expected] :
         {std::pair(merged(a), in_a), std::pair(intersection(a, b), in_a & in_b),
          std::pair(subtraction(a, b), in_a & ~in_b)}) {
      ASSERT_EQ(instants(result), expected) << "round " << round;
      ASSERT_TRUE(is_disjoint_and_in_order(result)) << "round " << round;
    }
    ASSERT_EQ(total_length(a), Nanos(in_a.count()));
    ASSERT_EQ(length_within(merged(a), window), Nanos((in_a & in_window).count()));
  }
}

}  // namespace
}  // namespace feedrate
