// SPDX-License-Identifier: Apache-2.0
#include <numeric>

#include <gtest/gtest.h>

#include "loaders/sampler.h"

namespace feedrate {
namespace {

using Order = std::vector<std::uint64_t>;

Order ascending(std::size_t count) {
  Order order(count);
  std::iota(order.begin(), order.end(), std::uint64_t{0});
  return order;
}

// Computed by hand: ten batches of one record make pools of two.
TEST(GroupByLength, sorts_each_pool_from_long_to_short_and_puts_the_longest_of_all_first) {
  const std::vector<std::uint32_t> lengths{3, 9, 1, 7, 5, 8, 2, 6, 4, 10};
  EXPECT_EQ(group_by_length(ascending(10), lengths, 1), (Order{9, 0, 3, 2, 5, 4, 7, 6, 1, 8}));
}

TEST(GroupByLength, keeps_the_order_of_equals) {
  const std::vector<std::uint32_t> lengths(6, 5);
  EXPECT_EQ(group_by_length({5, 4, 3, 2, 1, 0}, lengths, 2), (Order{5, 4, 3, 2, 1, 0}));
}

// 400 records of three lengths in batches of one: pools of 50, whose order depends on stable
// sorting. The first pool begins with a longest one, so that nothing is swapped.
TEST(GroupByLength, keeps_the_order_of_equals_in_large_pools) {
  std::vector<std::uint32_t> lengths(400);
  for (std::uint32_t i = 0; i < lengths.size(); ++i) lengths[i] = i % 3;
  Order expected;
  for (std::uint64_t begin = 0; begin < 400; begin += 50) {
    for (const std::uint32_t length : {2U, 1U, 0U}) {
      for (std::uint64_t record = begin; record < begin + 50; ++record) {
        if (record % 3 == length) expected.push_back(record);
      }
    }
  }
  EXPECT_EQ(group_by_length(ascending(400), lengths, 1), expected);
}

TEST(GroupByLength, has_pools_of_at_most_fifty_batches) {
  std::vector<std::uint32_t> lengths(1000);
  std::iota(lengths.begin(), lengths.end(), 1U);
  const Order order = group_by_length(ascending(1000), lengths, 2);
  EXPECT_EQ(order[0], 999U);  // Swapped with 99, the first of its pool.
  EXPECT_EQ(order[1], 98U);
  EXPECT_EQ(order[99], 0U);
  EXPECT_EQ(order[100], 199U);
  EXPECT_EQ(order[900], 99U);
}

TEST(GroupByLength, takes_any_order) {
  const std::vector<std::uint32_t> lengths{1, 2, 3, 4, 5, 6};
  EXPECT_EQ(group_by_length({5, 1, 3}, lengths, 8), (Order{5, 3, 1}));
  EXPECT_EQ(group_by_length({}, lengths, 8), Order{});
}

}  // namespace
}  // namespace feedrate
