// SPDX-License-Identifier: Apache-2.0
#include "analysis/report/ranks.h"

#include <sstream>

#include "analysis/rank_rules.h"
#include "analysis/report/json.h"
#include "tests/support/golden.h"
#include "tests/support/matchers.h"

namespace feedrate {
namespace {

RankFigures rank(std::size_t number, double rate, double step, double reduce = 0.0) {
  RankFigures figures{.rank = number,
                      .local_rank = number % 2,
                      .node = number < 2 ? "n1" : "n2",
                      .cores = number % 2 == 0 ? "0-3" : "4-7",
                      .numa_nodes = "0",
                      .device = "sim:h200",
                      .gpu_numa_node = "1",
                      .all_reduce = reduce > 0 ? "TCP" : "",
                      .metrics = {{"samples_per_second", rate},
                                  {"step_time", step},
                                  {"loading_time", 0.02},
                                  {"training_time", step - 0.02},
                                  {"memory", 10.0 + static_cast<double>(number)}}};
  if (reduce > 0) figures.metrics.push_back({"all_reduce_time", reduce});
  return figures;
}

Repeat start(std::vector<RankFigures> ranks) {
  return {.metrics = combine_ranks(ranks), .series = {}, .ranks = std::move(ranks)};
}

RunResult run_of(std::vector<Repeat> repeats) {
  CellResult cell;
  cell.settings = {{"ranks", std::int64_t{2}}};
  cell.outcome = Outcome::kOk;
  cell.repeats = std::move(repeats);
  cell.metrics = cell.repeats.front().metrics;
  RunResult run;
  run.cells.push_back(std::move(cell));
  return run;
}

std::string ranks_csv(const RunResult& run) {
  std::ostringstream out;
  write_ranks_csv(out, run);
  return out.str();
}

std::string table_of(const RunResult& run) {
  std::ostringstream out;
  print_ranks(out, run, TableStyle::kTerminal);
  return out.str();
}

TEST(Ranks, are_means_over_the_starts_and_peaks_the_largest) {
  const RunResult run = run_of(
      {start({rank(0, 100, 0.1), rank(1, 80, 0.1)}), start({rank(0, 120, 0.2), rank(1, 90, 0.2)})});
  const std::vector<RankFigures> ranks = ranks_of(run.cells.front());
  ASSERT_EQ(ranks.size(), 2U);
  EXPECT_EQ(*find_metric(ranks[0].metrics, "samples_per_second"), 110);
  EXPECT_EQ(*find_metric(ranks[1].metrics, "samples_per_second"), 85);
  EXPECT_EQ(*find_metric(ranks[1].metrics, "memory"), 11);
}

TEST(Ranks, add_up_what_their_starts_have_read) {
  const auto reading = [](double bytes) {
    RankFigures figures = rank(0, 100, 0.1);
    figures.metrics.push_back({"storage_read_bytes", bytes});
    return start({figures});
  };
  const RunResult run = run_of({reading(10), start({rank(0, 100, 0.1)}), reading(30)});
  const std::vector<RankFigures> ranks = ranks_of(run.cells.front());
  EXPECT_EQ(*find_metric(ranks.at(0).metrics, "storage_read_bytes"), 40);
}

TEST(Ranks, of_a_cell_that_has_one_are_none) {
  RunResult run;
  run.cells.emplace_back();
  run.cells.front().settings = {{"ranks", std::int64_t{1}}};
  EXPECT_FALSE(has_ranks(run));
  EXPECT_THAT(ranks_of(run.cells.front()), IsEmpty());
  EXPECT_THAT(table_of(run), IsEmpty());
}

TEST(RanksCsv, has_a_row_for_each_rank_of_each_cell) {
  const std::string csv = ranks_csv(run_of({start({rank(0, 100, 0.1), rank(2, 80, 0.1, 0.05)})}));
  EXPECT_THAT(csv, HasSubstr("jobid,cell,rank,node,local_rank,cores,numa_nodes,device,"
                             "gpu_numa_node,all_reduce,"));
  EXPECT_THAT(csv, HasSubstr("\n,0,0,n1,0,0-3,0,sim:h200,1,,"));
  EXPECT_THAT(csv, HasSubstr("\n,0,2,n2,0,0-3,0,sim:h200,1,TCP,"));
  EXPECT_THAT(csv, Not(HasSubstr("trainer_limit")));
}

TEST(RanksCsv, has_the_jobid_of_the_cell) {
  RunResult run = run_of({start({rank(0, 100, 0.1)})});
  run.jobid = "4711";
  EXPECT_THAT(ranks_csv(run), HasSubstr("\n4711,0,0,"));
  run.cells.front().jobid = "4711_2";
  EXPECT_THAT(ranks_csv(run), HasSubstr("\n4711_2,0,0,"));
}

// 20 of 100 ms are loading; a rank that ends after 80 waits for the other.
TEST(RanksTable, has_shares_of_the_slowest_step) {
  const std::string table = table_of(run_of({start({rank(0, 100, 0.1), rank(1, 125, 0.08)})}));
  EXPECT_THAT(table, HasSubstr("20.0 %"));
  EXPECT_THAT(table, HasSubstr("80.0 %"));
  EXPECT_THAT(table, HasSubstr("60.0 %"));
}

TEST(RanksTable, takes_the_all_reduce_for_waiting) {
  const std::string table = table_of(run_of({start({rank(0, 100, 0.1, 0.05)})}));
  EXPECT_THAT(table, HasSubstr("50.0 %"));
  EXPECT_THAT(table, HasSubstr("30.0 %"));
}

TEST(RanksTable, of_many_is_cut_and_says_where_the_others_are) {
  std::vector<RankFigures> many;
  for (std::size_t i = 0; i < 70; ++i) many.push_back(rank(i, 100, 0.1));
  EXPECT_THAT(table_of(run_of({start(many)})), HasSubstr("The other 6 rows are in ranks.csv."));
}

TEST(RanksJson, come_back_as_they_were) {
  const Repeat repeat = start({rank(0, 100, 0.1), rank(1, 80.25, 0.1)});
  const Repeat back = repeat_from_json(repeat_to_json(repeat), "here");
  ASSERT_EQ(back.ranks.size(), 2U);
  EXPECT_EQ(back.ranks[1].node, "n1");
  EXPECT_EQ(back.ranks[1].local_rank, 1U);
  EXPECT_EQ(back.ranks[1].cores, "4-7");
  EXPECT_EQ(*find_metric(back.ranks[1].metrics, "samples_per_second"), 80.25);
  EXPECT_EQ(repeat_to_json(back), repeat_to_json(repeat));
}

TEST(RanksJson, are_left_out_where_there_is_one_rank) {
  EXPECT_THAT(repeat_to_json({}), Not(HasSubstr("ranks")));
}

TEST(SettingsJson, come_back_with_their_types) {
  const Settings settings{{"ranks", std::int64_t{4}},
                          {"drop_last", true},
                          {"step_ms", 1.5},
                          {"format", std::string("tar")}};
  EXPECT_EQ(settings_from_json(settings_to_json(settings), "here"), settings);
}

}  // namespace
}  // namespace feedrate
