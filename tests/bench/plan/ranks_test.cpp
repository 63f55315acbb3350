// SPDX-License-Identifier: Apache-2.0
#include "bench/plan/cell_spec.h"
#include "bench/plan/plan.h"
#include "tests/support/matchers.h"

namespace feedrate {
namespace {

std::vector<Cell> plan(const std::string& sections, const LaunchedRanks& launched = {}) {
  const SweepConfig config =
      parse_config("dataset: {path: x}\ndevice: {name: 'sim:h200'}\n" + sections, "s.yaml");
  return make_plan(config, {.usable_cpus = 8, .launched = launched});
}

std::string rank_text(const Cell& cell, const char* name) { return text_of(cell.settings, name); }

TEST(RanksInAPlan, default_to_one_which_makes_other_knobs_idle) {
  const Cell cell = plan("").front();
  EXPECT_EQ(rank_text(cell, "ranks"), "1");
  for (const char* name : {"ranks_per_node", "affinity", "all_reduce_bytes"}) {
    EXPECT_EQ(rank_text(cell, name), "");
  }
  const CellSpec spec = make_cell_spec(cell.settings, 0);
  EXPECT_EQ(spec.job.ranks, 1U);
  EXPECT_EQ(spec.loader.shard, Shard());
}

TEST(RanksInAPlan, are_an_axis_and_all_on_one_node) {
  const auto cells = plan("job: {ranks: [1, 2, 4], affinity: cores, all_reduce_bytes: 1000}");
  ASSERT_EQ(cells.size(), 3U);
  EXPECT_EQ(rank_text(cells[2], "ranks_per_node"), "0");
  EXPECT_EQ(ranks_on_a_node(cells[0].settings), 1U);
  EXPECT_EQ(ranks_on_a_node(cells[2].settings), 4U);
  const CellSpec spec = make_cell_spec(cells[2].settings, 0);
  EXPECT_EQ(spec.job.ranks, 4U);
  EXPECT_EQ(spec.job.ranks_per_node, 4U);
  EXPECT_EQ(spec.job.affinity, Affinity::cores);
  EXPECT_EQ(spec.job.all_reduce_bytes, 1000U);
  EXPECT_EQ(spec.loader.shard.replicas, 4U);
}

TEST(RanksInAPlan, hand_drop_last_to_the_sampler) {
  const auto spec = [](const char* loader) {
    return make_cell_spec(plan(std::string("job: {ranks: 2}\n") + loader).front().settings, 0);
  };
  EXPECT_FALSE(spec("").loader.shard.drop_last);
  EXPECT_TRUE(spec("loader: {drop_last: true}").loader.shard.drop_last);
}

TEST(RanksInAPlan, on_several_nodes_need_a_launcher) {
  const auto cells = plan("job: {ranks: 8, ranks_per_node: [0, 4]}");
  EXPECT_THAT(cells[0].skip_reason, IsEmpty());
  EXPECT_THAT(cells[1].skip_reason, HasSubstr("use srun or mpirun"));
}

TEST(RanksInAPlan, that_are_equal_are_counted_once_with_the_reason) {
  const auto cells = plan("job: {ranks_per_node: [0, 4]}", {.size = 4, .per_node = 4});
  ASSERT_EQ(cells.size(), 2U);
  EXPECT_EQ(cells[1].skip_reason, "counted once: its settings are equivalent to those of cell 0");
}

TEST(RanksInAPlan, have_no_pytorch_engine) {
  const auto cells = plan("job: {ranks: [1, 2]}\nengine: torch");
  EXPECT_THAT(cells[0].skip_reason, IsEmpty());
  EXPECT_THAT(cells[1].skip_reason, HasSubstr("only supported by the native engine"));
}

TEST(RanksInAPlan, share_the_cpus_that_limit_the_workers) {
  const auto cells = plan("loader: {num_workers: 4, max_workers_per_cpu: 1}\njob: {ranks: [2, 4]}");
  EXPECT_THAT(cells[0].skip_reason, IsEmpty());
  EXPECT_THAT(cells[1].skip_reason, HasSubstr("of 4 ranks"));
}

// A launcher may bind each rank to its own CPUs.
TEST(LaunchedRanks, share_what_all_of_them_may_run_on) {
  const char* const sections = "loader: {num_workers: 4, max_workers_per_cpu: 1}";
  EXPECT_THAT(plan(sections, {.size = 4, .per_node = 4, .cpus = 16}).front().skip_reason,
              IsEmpty());
  EXPECT_THROW(plan(sections, {.size = 4, .per_node = 4, .cpus = 15}), ConfigError);
}

TEST(RanksInAPlan, reduce_nothing_where_batches_are_discarded) {
  const Cell cell =
      plan("job: {ranks: 2, all_reduce_bytes: 1000}\ntrainer: {kind: discard}").front();
  EXPECT_EQ(rank_text(cell, "all_reduce_bytes"), "0");
}

TEST(LaunchedRanks, are_taken_as_they_were_started) {
  const Cell cell = plan("", {.size = 8, .per_node = 4}).front();
  EXPECT_EQ(rank_text(cell, "ranks"), "8");
  EXPECT_EQ(rank_text(cell, "ranks_per_node"), "4");
}

TEST(LaunchedRanks, are_not_more_or_fewer_than_were_started) {
  const auto cells = plan("job: {ranks: [2, 4]}", {.size = 4, .per_node = 4});
  EXPECT_THAT(cells[0].skip_reason, HasSubstr("4 were started"));
  EXPECT_THAT(cells[1].skip_reason, IsEmpty());
}

TEST(LaunchedRanks, are_as_many_on_a_node_as_were_started_there) {
  const auto cells = plan("job: {ranks_per_node: [2, 4]}", {.size = 4, .per_node = 2});
  EXPECT_THAT(cells[0].skip_reason, IsEmpty());
  EXPECT_THAT(cells[1].skip_reason, HasSubstr("2 were started on this node"));
}

}  // namespace
}  // namespace feedrate
