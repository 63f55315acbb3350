// SPDX-License-Identifier: Apache-2.0
#include "bench/merge_shards.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "bench/overrides.h"
#include "tests/support/error_of.h"

namespace feedrate {
namespace {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr const char* kShardedConfig =
    "dataset: {path: x}\ndevice: {name: 'sim:h200'}\nloader: {num_workers: [0, 1, 2, 3, 4, 5]}\n"
    "measure: {repeats: 2, limits: false}\n";

// Shard `number` of `count`, measured on node nNUMBER in task NUMBER of job 7.
ShardRun shard(std::size_t number, std::size_t count = 3) {
  const SweepShard which{number, count};
  const SweepConfig config = parse_config(kShardedConfig, "s.yaml");
  std::vector<Cell> plan = make_plan(config, {});
  keep_shard(plan, config.measure, which);
  RunResult run;
  run.config_name = "s";
  run.config_text = kShardedConfig;
  run.overrides = {"--shard=" + to_string(which)};
  run.jobid = "7_" + std::to_string(number);
  run.started_at = "2026-01-0" + std::to_string(9 - number);
  run.environment.facts = {{"feedrate", "1.0"},
                           {"device sim:h200", "H200"},
                           {"host_name", "n" + std::to_string(number)}};
  for (const Cell& cell : plan) {
    CellResult& result = run.cells.emplace_back();
    result.index = cell.index;
    result.settings = cell.settings;
    result.outcome = cell.skip_reason.empty() ? Outcome::kOk : Outcome::kSkipped;
    result.reason = cell.skip_reason;
    if (!cell.skip_reason.empty()) continue;
    result.repeats.resize(2);
    result.jobid = run.jobid;
    result.node = "n" + std::to_string(number);
  }
  return {folder_name(which), std::move(run)};
}

std::vector<ShardRun> all_shards() { return {shard(1), shard(2), shard(3)}; }

std::string error_of(const std::vector<ShardRun>& shards) {
  return testing::error_of([&] { return merge_shards(shards, {}); });
}

CellResult& own_cell(ShardRun& one) {
  return *std::find_if(one.run.cells.begin(), one.run.cells.end(),
                       [](const CellResult& cell) { return cell.outcome == Outcome::kOk; });
}

TEST(Merge, makes_one_run_of_the_shards_in_any_order) {
  const RunResult run = merge_shards({shard(3), shard(1), shard(2)}, {});
  ASSERT_EQ(run.cells.size(), 6U);
  for (std::size_t i = 0; i < 6; ++i) {
    EXPECT_EQ(run.cells[i].index, i);
    EXPECT_EQ(run.cells[i].outcome, Outcome::kOk);
    EXPECT_EQ(run.cells[i].repeats.size(), 2U);
  }
  EXPECT_FALSE(run.interrupted);
  EXPECT_THAT(run.overrides, IsEmpty());
  EXPECT_EQ(run.started_at, "2026-01-06") << "the first that began";
  EXPECT_TRUE(is_merged(run));
  EXPECT_FALSE(is_merged(shard(1).run));
}

TEST(Merge, keeps_where_each_cell_was_measured) {
  const std::vector<ShardRun> shards = all_shards();
  const RunResult run = merge_shards(shards, {});
  for (const ShardRun& one : shards) {
    for (const CellResult& cell : one.run.cells) {
      if (cell.outcome != Outcome::kOk) continue;
      EXPECT_EQ(run.cells[cell.index].jobid, cell.jobid);
      EXPECT_EQ(run.cells[cell.index].node, cell.node);
    }
  }
  EXPECT_EQ(run.jobid, "7") << "the array's";
  EXPECT_THAT(run.environment.facts, Contains(::testing::Field(&Fact::name, "shard 2/3")));
  EXPECT_THAT(run.environment.warnings, Contains(HasSubstr("measured on 3 nodes, n1, n2, n3")));
  EXPECT_EQ(run.environment.facts[0].value, "1.0");
  EXPECT_EQ(run.environment.facts[2].value, "n1, n2, n3");
}

TEST(Merge, names_missing_shards_and_their_cells) {
  const ShardRun missing = shard(2);
  std::vector<std::string> cells;
  for (const CellResult& cell : missing.run.cells) {
    if (cell.outcome == Outcome::kOk) cells.push_back(std::to_string(cell.index));
  }
  ASSERT_EQ(cells.size(), 2U);
  EXPECT_THAT(error_of({shard(1), shard(3)}),
              AllOf(HasSubstr("shard 2/3 is missing: cells " + cells[0] + ", " + cells[1]),
                    HasSubstr("--partial")));
}

TEST(Merge, names_incomplete_cells) {
  std::vector<ShardRun> shards = all_shards();
  own_cell(shards[1]).repeats.pop_back();
  EXPECT_THAT(error_of(shards), HasSubstr("shard 2/3 in shard-2-of-3 is incomplete: cell " +
                                          std::to_string(own_cell(shards[1]).index)));
}

TEST(Merge, merges_an_incomplete_set_on_request_and_names_what_is_missing) {
  const RunResult run = merge_shards({shard(1), shard(3)}, {.partial = true});
  EXPECT_TRUE(run.interrupted);
  EXPECT_EQ(std::count_if(run.cells.begin(), run.cells.end(),
                          [](const CellResult& cell) {
                            return cell.outcome == Outcome::kPending && cell.reason.empty();
                          }),
            2);
  EXPECT_THAT(run.environment.warnings, Contains(HasSubstr("shard 2/3 is missing")));
}

TEST(Merge, keeps_cells_that_failed_or_do_not_fit) {
  std::vector<ShardRun> shards = all_shards();
  CellResult& failed = own_cell(shards[0]);
  failed.outcome = Outcome::kFailed;
  failed.reason = "broken.png";
  CellResult& skipped = own_cell(shards[2]);
  skipped.outcome = Outcome::kSkipped;
  skipped.reason = "needs 9 GB";
  const RunResult run = merge_shards(shards, {});
  EXPECT_EQ(run.cells[failed.index].reason, "broken.png");
  EXPECT_EQ(run.cells[skipped.index].reason, "needs 9 GB");
}

TEST(Merge, refuses_a_shard_given_twice) {
  ShardRun again = shard(2);
  again.folder = "copy";
  EXPECT_EQ(error_of({shard(1), shard(2), again, shard(3)}),
            "copy: is shard 2/3, and so is shard-2-of-3; remove one of them");
}

TEST(Merge, refuses_a_whole_run) {
  ShardRun whole = shard(1);
  whole.run.overrides.clear();
  EXPECT_THAT(error_of({whole}), HasSubstr("shard-1-of-3: is a complete run, not a shard"));
}

TEST(Merge, refuses_other_configurations_options_and_counts) {
  std::vector<ShardRun> shards = all_shards();
  shards[1].run.config_text += "# Changed.\n";
  EXPECT_EQ(error_of(shards),
            "shard-2-of-3: was measured with a different configuration than shard-1-of-3");
  shards = all_shards();
  shards[1].run.overrides.insert(shards[1].run.overrides.begin(), "--steps=9");
  EXPECT_EQ(error_of(shards),
            "shard-2-of-3: was measured with --steps=9, and shard-1-of-3 with no options");
  EXPECT_THAT(error_of({shard(1), shard(2, 2)}),
              HasSubstr("shard-2-of-2: is shard 2/2, and shard-1-of-3 is shard 1/3"));
}

TEST(Merge, refuses_another_plan) {
  std::vector<ShardRun> shards = all_shards();
  for (Setting& setting : shards[2].run.cells[4].settings) {
    if (setting.name == "num_workers") setting.value = std::int64_t{9};
  }
  EXPECT_EQ(
      error_of(shards),
      "shard-3-of-3: cell 4 has num_workers \"9\", and in shard-1-of-3 \"4\": the plans differ");
  shards = all_shards();
  shards[2].run.cells.pop_back();
  EXPECT_THAT(error_of(shards), HasSubstr("its plan has 5 cells, that of shard-1-of-3 has 6"));
}

TEST(Merge, refuses_a_cell_that_two_shards_measured) {
  std::vector<ShardRun> shards = all_shards();
  const std::size_t index = own_cell(shards[0]).index;
  shards[1].run.cells[index] = own_cell(shards[0]);
  EXPECT_THAT(error_of(shards), HasSubstr("shard-2-of-3: has cell " + std::to_string(index) +
                                          ", and so does shard-1-of-3"));
}

TEST(Merge, refuses_other_versions_and_devices_unless_told_to_mix) {
  for (const std::size_t fact : {0U, 1U}) {
    std::vector<ShardRun> shards = all_shards();
    Fact& differing = shards[2].run.environment.facts[fact];
    differing.value = "other";
    EXPECT_THAT(
        error_of(shards),
        AllOf(HasSubstr("shard-3-of-3: " + differing.name + " is \"other\""), HasSubstr("--mix")));
    EXPECT_THAT(merge_shards(shards, {.may_mix = true}).environment.warnings,
                Contains(AllOf(HasSubstr(differing.name), HasSubstr("\"other\""))));
  }
}

TEST(Merge, accepts_nodes_with_slightly_different_memory) {
  std::vector<ShardRun> shards = all_shards();
  shards[0].run.environment.facts.push_back({"memory_total", "67.4 GB"});
  shards[1].run.environment.facts.push_back({"memory_total", "67.5 GB"});
  EXPECT_EQ(error_of(shards), "no error");
}

}  // namespace
}  // namespace feedrate
