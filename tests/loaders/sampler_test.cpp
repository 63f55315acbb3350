// SPDX-License-Identifier: Apache-2.0
#include "loaders/sampler.h"

#include <algorithm>
#include <fstream>

#include "core/error.h"
#include "tests/support/matchers.h"
#include "tests/support/sampler_case.h"

namespace feedrate::testing {
namespace {

using Order = std::vector<std::uint64_t>;

// torch.randperm(n, generator=torch.Generator().manual_seed(seed)), torch 1.13.1.
TEST(EpochOrder, is_torch_randperm) {
  EXPECT_EQ(epoch_order(10, true, 0, 0), (Order{4, 1, 7, 5, 3, 9, 0, 8, 6, 2}));
  EXPECT_EQ(epoch_order(10, true, 1, 0), (Order{5, 6, 1, 2, 0, 8, 9, 3, 7, 4}));
  EXPECT_EQ(epoch_order(17, true, 12345, 0),
            (Order{13, 6, 2, 1, 9, 3, 14, 15, 5, 11, 8, 12, 0, 10, 16, 7, 4}));
  EXPECT_EQ(epoch_order(5, true, (std::uint64_t{1} << 33) + 7, 0), (Order{0, 1, 3, 2, 4}));
}

TEST(EpochOrder, adds_the_epoch_to_the_seed_as_distributed_sampler_does) {
  EXPECT_EQ(epoch_order(10, true, 0, 1), epoch_order(10, true, 1, 0));
}

TEST(EpochOrder, without_shuffle_is_the_datasets_own) {
  EXPECT_EQ(epoch_order(4, false, 9, 9), (Order{0, 1, 2, 3}));
}

// torch.randperm(4), then torch.randperm(n) of each window; one generator seeded with 3,
// torch 1.13.1.
TEST(WindowedOrder, shuffles_windows_and_within_them) {
  const Order order = windowed_order(10, 3, 3, 0);
  EXPECT_EQ(order, (Order{6, 7, 8, 9, 3, 4, 5, 2, 0, 1}));
}

TEST(WindowedOrder, has_every_record_once_and_those_of_a_window_together) {
  for (const std::uint64_t records : {1U, 7U, 64U, 65U}) {
    const Order order = windowed_order(records, 8, 5, 2);
    Order sorted = order;
    std::sort(sorted.begin(), sorted.end());
    EXPECT_EQ(sorted, epoch_order(records, false, 0, 0));
    std::vector<std::uint64_t> windows;
    for (const std::uint64_t record : order) {
      if (windows.empty() || windows.back() != record / 8) windows.push_back(record / 8);
    }
    EXPECT_EQ(windows.size(), (records + 7) / 8);
  }
}

TEST(WindowedOrder, is_the_whole_order_shuffled_where_one_window_holds_all) {
  EXPECT_EQ(windowed_order(10, 10, 4, 1), windowed_order(10, 1000, 4, 1));
}

// tests/interop/samplers_torch.py writes the file and compares it with the installed PyTorch.
TEST(Samplers, yield_what_pytorch_yields) {
  std::ifstream file(FEEDRATE_SOURCE_DIR "/tests/golden/loaders/sampler_orders.txt");
  ASSERT_TRUE(file);
  std::size_t cases = 0;
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with('#')) continue;
    const std::string text = line.substr(0, line.find(" : "));
    EXPECT_EQ(answer_sampler_case(text), line.substr(text.size() + 3)) << text;
    ++cases;
  }
  EXPECT_GE(cases, 50U);
}

TEST(DistributedOrder, gives_every_record_to_one_rank_and_repeats_the_head) {
  Order together;
  for (std::size_t rank = 0; rank < 4; ++rank) {
    const Order share = distributed_order(10, true, 3, 1, {.replicas = 4, .rank = rank});
    EXPECT_EQ(share.size(), 3U);
    together.insert(together.end(), share.begin(), share.end());
  }
  const Order order = epoch_order(10, true, 3, 1);
  Order expected = order;
  expected.insert(expected.end(), order.begin(), order.begin() + 2);
  EXPECT_THAT(together, ::testing::UnorderedElementsAreArray(expected));
}

TEST(DistributedOrder, rejects_an_invalid_rank) {
  EXPECT_THROW((void)distributed_order(10, true, 0, 0, {.replicas = 2, .rank = 2}), ConfigError);
  EXPECT_THROW((void)distributed_order(10, true, 0, 0, {.replicas = 0}), ConfigError);
}

TEST(SeededRandomOrder, draws_a_base_seed_for_each_new_iterator_only) {
  SeededRandomOrder persistent(10, 5), fresh(10, 5);
  EXPECT_EQ(persistent.next_epoch(true), fresh.next_epoch(true));
  EXPECT_NE(persistent.next_epoch(false), fresh.next_epoch(true));
}

std::vector<Order> all_batches(BatchSampler& sampler) {
  std::vector<Order> batches;
  while (auto task = sampler.next()) batches.push_back(task->indices);
  return batches;
}

TEST(BatchSampler, keeps_the_incomplete_last_batch) {
  BatchSampler sampler({.records = 5, .batch_size = 2});
  sampler.start(0);
  EXPECT_EQ(sampler.batches_per_epoch(), 3U);
  EXPECT_THAT(all_batches(sampler), ElementsAre(Order{0, 1}, Order{2, 3}, Order{4}));
}

TEST(BatchSampler, drops_it_on_request) {
  BatchSampler sampler({.records = 5, .batch_size = 2, .drop_last = true});
  sampler.start(0);
  EXPECT_EQ(sampler.batches_per_epoch(), 2U);
  EXPECT_THAT(all_batches(sampler), ElementsAre(Order{0, 1}, Order{2, 3}));
}

TEST(BatchSampler, shuffles_in_windows_on_request_and_only_with_shuffle) {
  BatchSampler windowed(
      {.records = 10, .batch_size = 10, .shuffle = true, .shuffle_window = 3, .seed = 3});
  windowed.start(1);
  EXPECT_EQ(windowed.next()->indices, windowed_order(10, 3, 3, 1));
  BatchSampler plain({.records = 10, .batch_size = 10, .shuffle_window = 3});
  plain.start(1);
  EXPECT_EQ(plain.next()->indices, epoch_order(10, false, 0, 0));
}

TEST(BatchSampler, groups_by_length_where_it_has_lengths) {
  BatchSampler sampler({.records = 5, .batch_size = 2, .lengths = {1, 5, 2, 4, 3}});
  sampler.start(0);
  EXPECT_THAT(all_batches(sampler), ElementsAre(Order{1, 0}, Order{3, 2}, Order{4}));
}

// Hugging Face's DistributedLengthGroupedSampler groups all (1 0 3 2 4), then deals them to the
// ranks and repeats the first.
TEST(BatchSampler, groups_all_by_length_before_a_rank_gets_its_share) {
  BatchSampler sampler({.records = 5,
                        .batch_size = 2,
                        .shard = {.replicas = 2, .rank = 1},
                        .lengths = {1, 5, 2, 4, 3}});
  sampler.start(0);
  EXPECT_THAT(all_batches(sampler), ElementsAre(Order{0, 2}, Order{1}));
}

TEST(BatchSampler, numbers_its_tasks_from_zero_at_each_start) {
  BatchSampler sampler({.records = 4, .batch_size = 2});
  sampler.start(0);
  all_batches(sampler);
  sampler.start(1);
  const auto task = sampler.next();
  EXPECT_EQ(task->sequence, 0U);
  EXPECT_EQ(task->epoch, 1U);
}

TEST(BatchSampler, may_end_before_its_epoch_does) {
  BatchSampler sampler({.records = 100, .batch_size = 2});
  sampler.start(0, 3);
  EXPECT_EQ(all_batches(sampler).size(), 3U);
}

TEST(BatchSampler, may_go_on_with_the_next_epochs) {
  BatchSampler sampler({.records = 3, .batch_size = 2, .shuffle = true, .seed = 5});
  sampler.start(7, 4);
  Order first, second;
  for (int i = 0; i < 4; ++i) {
    const auto task = sampler.next();
    ASSERT_TRUE(task);
    EXPECT_EQ(task->sequence, static_cast<std::uint64_t>(i));
    EXPECT_EQ(task->epoch, i < 2 ? 7U : 8U);
    Order& epoch = i < 2 ? first : second;
    epoch.insert(epoch.end(), task->indices.begin(), task->indices.end());
  }
  EXPECT_FALSE(sampler.next());
  EXPECT_EQ(first, epoch_order(3, true, 5, 7));
  EXPECT_EQ(second, epoch_order(3, true, 5, 8));
}

TEST(BatchSampler, has_nothing_when_drop_last_leaves_nothing) {
  BatchSampler sampler({.records = 3, .batch_size = 4, .drop_last = true});
  sampler.start(0, 10);
  EXPECT_FALSE(sampler.next());
}

}  // namespace
}  // namespace feedrate::testing
