// SPDX-License-Identifier: Apache-2.0
#include "bench/plan/shards.h"

#include <algorithm>
#include <set>

#include "core/error.h"
#include "tests/support/matchers.h"

namespace feedrate {
namespace {

// A step takes 1 s per sample of the batch: a cell takes 10 times its batch size in seconds.
SweepConfig sharded_config(const std::string& loader, const std::string& more = "") {
  return parse_config("dataset: {path: x}\ndevice: {name: 'sim:h200'}\nloader: {" + loader +
                          "}\ntrainer: {kind: burn, step_ms: 1000, reference_batch: 1}\n"
                          "measure: {steps: 10, warmup: 0, epochs: 0, repeats: 1" +
                          more + "}\n",
                      "s.yaml");
}

std::vector<Cell> plan_of(const SweepConfig& config, std::size_t cpus = 64) {
  return make_plan(config, {{}, cpus});
}

template <typename Call>
std::string shard_error(Call call) {
  try {
    call();
  } catch (const ConfigError& error) {
    return error.what();
  }
  return "no error";
}

TEST(SweepShard, is_read_and_written) {
  const SweepShard shard = parse_shard("2/4");
  EXPECT_EQ(shard.number, 2U);
  EXPECT_EQ(shard.count, 4U);
  EXPECT_EQ(to_string(shard), "2/4");
  EXPECT_EQ(folder_name(shard), "shard-2-of-4");
}

TEST(SweepShard, refuses_what_is_none) {
  for (const char* const text : {"", "2", "0/4", "5/4", "/", "1/", "/4", "1/4/2", "-1/4", "a/b"}) {
    EXPECT_THAT(shard_error([&] { static_cast<void>(parse_shard(text)); }),
                HasSubstr("must be NUMBER/COUNT"))
        << text;
  }
}

TEST(Shards, have_every_cell_once) {
  const SweepConfig sweep = sharded_config("batch_size: [1, 2, 3, 4, 5], num_workers: [0, 1, 2]");
  std::multiset<std::size_t> measured;
  for (std::size_t number = 1; number <= 4; ++number) {
    std::vector<Cell> plan = plan_of(sweep);
    keep_shard(plan, sweep.measure, {number, 4});
    for (const Cell& cell : plan) {
      if (cell.skip_reason.empty()) {
        measured.insert(cell.index);
      } else {
        EXPECT_TRUE(is_other_shard_reason(cell.skip_reason));
      }
    }
  }
  std::multiset<std::size_t> all;
  for (std::size_t i = 0; i < 15; ++i) all.insert(i);
  EXPECT_EQ(measured, all);
}

TEST(Shards, are_deterministic) {
  const SweepConfig sweep = sharded_config("batch_size: [1, 2, 3, 4], num_workers: [0, 1, 2, 8]");
  EXPECT_EQ(divide(plan_of(sweep, 1), sweep.measure, 3).number_of,
            divide(plan_of(sweep, 64), sweep.measure, 3).number_of);
}

// Only a GPU tells the time of matrix products; without one it would be simulated.
TEST(Shards, do_not_depend_on_the_device_of_the_machine) {
  const SweepConfig sweep = parse_config(
      "dataset: {path: x}\ndevice: {name: auto}\nloader: {batch_size: [1, 64]}\n"
      "trainer: {kind: gemm, shapes: ['64x64x64']}\nmeasure: {repeats: 1}\n",
      "s.yaml");
  for (const Cell& cell : plan_of(sweep)) EXPECT_EQ(expected_seconds(cell, sweep.measure), 61.0);
}

TEST(Shards, are_balanced_by_expected_time) {
  const SweepConfig uneven = sharded_config("batch_size: [1, 2, 3, 4, 5, 6, 7, 28]");
  const Shards shards = divide(plan_of(uneven), uneven.measure, 2);
  // 16 steps of 28 s, including discarded ones, and 1 s for the start; against steps of 1 + 2 + … +
  // 7 = 28 s and seven starts.
  EXPECT_THAT(shards.seconds, UnorderedElementsAre(449.0, 455.0));
  EXPECT_THAT(shards.cells, UnorderedElementsAre(1U, 7U));
}

// Without the shuffle, each shard would get one value of pin_memory.
TEST(Shards, mix_the_values_of_every_axis) {
  const SweepConfig sweep =
      sharded_config("num_workers: [1, 2, 3, 4, 5, 6, 7, 8], pin_memory: [false, true]");
  const std::vector<Cell> plan = plan_of(sweep);
  const Shards shards = divide(plan, sweep.measure, 2);
  std::set<std::string> values;
  for (const Cell& cell : plan) {
    if (shards.number_of[cell.index] == 1) values.insert(text_of(cell.settings, "pin_memory"));
  }
  EXPECT_EQ(values.size(), 2U);
}

TEST(Shards, follow_the_seed) {
  const SweepConfig one =
      sharded_config("num_workers: [1, 2, 3, 4, 5, 6, 7, 8], pin_memory: [false, true]");
  SweepConfig other = one;
  other.measure.seed = 7;
  EXPECT_NE(divide(plan_of(one), one.measure, 2).number_of,
            divide(plan_of(other), other.measure, 2).number_of);
}

TEST(Shards, leave_skipped_cells_to_the_plan) {
  const SweepConfig sweep = sharded_config("num_workers: [0, 1], prefetch_factor: [2, 4]");
  std::vector<Cell> plan = plan_of(sweep);
  const std::string reason = plan[1].skip_reason;
  ASSERT_FALSE(reason.empty());
  EXPECT_EQ(divide(plan, sweep.measure, 2).number_of[1], 0U);
  keep_shard(plan, sweep.measure, {1, 2});
  EXPECT_EQ(plan[1].skip_reason, reason);
}

TEST(Shards, are_no_more_than_cells) {
  const SweepConfig sweep = sharded_config("num_workers: [0, 1]");
  EXPECT_THAT(shard_error([&] { static_cast<void>(divide(plan_of(sweep), sweep.measure, 3)); }),
              HasSubstr("3 shards: the plan has 2 cells to measure"));
}

TEST(Shards, are_as_many_as_the_time_limit_asks_for) {
  const SweepConfig sweep =
      sharded_config("shuffle: [false, true], drop_last: [false, true], in_order: [true]");
  const std::vector<Cell> plan = plan_of(sweep);
  ASSERT_EQ(plan.size(), 4U);
  const double cell = expected_seconds(plan[0], sweep.measure);
  EXPECT_EQ(shards_for(plan, sweep.measure, 8.0 * cell), 1U) << "half of it is for the loader";
  EXPECT_EQ(shards_for(plan, sweep.measure, 7.9 * cell), 2U);
  EXPECT_EQ(shards_for(plan, sweep.measure, 3.9 * cell), 4U) << "two cells are too long";
  EXPECT_EQ(shards_for(plan, sweep.measure, 1.0), 4U) << "one cell takes longer: it is requeued";
}

}  // namespace
}  // namespace feedrate
