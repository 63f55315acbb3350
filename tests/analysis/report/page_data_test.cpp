// SPDX-License-Identifier: Apache-2.0
#include "analysis/report/page_data.h"

#include <cmath>
#include <sstream>

#include <nlohmann/json.hpp>

#include "analysis/answer.h"
#include "analysis/cell_text.h"
#include "analysis/compare.h"
#include "analysis/foreign_load.h"
#include "analysis/limits.h"
#include "analysis/paste_lines.h"
#include "analysis/report/csv.h"
#include "tests/analysis/report/sample_run.h"
#include "tests/support/matchers.h"

namespace feedrate {
namespace {

using Json = nlohmann::json;

Json data_of(const std::vector<PageRun>& runs) { return Json::parse(page_data(runs)); }

Json sample_data() { return data_of({{"sample", sample_run(), {}}})["runs"][0]; }

RunResult slower_run() {
  RunResult run = sample_run();
  for (Metric& metric : run.cells[0].metrics) metric.value /= 2;
  return run;
}

TEST(PageData, the_verdict_is_the_terminals) {
  const RunResult run = sample_run();
  const Json verdict = sample_data()["verdict"];
  std::ostringstream text;
  print_answer(text, run);
  EXPECT_EQ(verdict["text"], text.str());
  const Json answer = verdict["answers"][0];
  EXPECT_EQ(answer["code"], paste_ready(run, *decide(run).front().proposed));
  EXPECT_EQ(answer["proposed"], decide(run).front().proposed->index);
  EXPECT_EQ(answer["fastest"], 0);
}

TEST(PageData, of_a_tune_has_one_answer_what_it_recommended) {
  RunResult run = sample_run();
  run.recommended = Recommended{
      .settings = run.cells[1].settings, .claim = "97 %: sure.", .code = "loader = it\n"};
  const Json answers = data_of({{"sample", run, {}}})["runs"][0]["verdict"]["answers"];
  ASSERT_EQ(answers.size(), 1U);
  EXPECT_EQ(answers[0]["proposed"], 1);
  EXPECT_EQ(answers[0]["certainty"], "97 %: sure.");
  EXPECT_EQ(answers[0]["code"], "loader = it\n");
}

TEST(PageData, of_a_watched_training_has_its_history_and_what_was_kept) {
  const Json run = data_of({{"watched", watched_run(), {}}})["runs"][0];
  EXPECT_EQ(run["history"]["verdict"][1], "INPUT-BOUND");
  EXPECT_EQ(run["history"]["loaders"][0]["points"]["loading"], Json({0.1, 0.03, 0.001}));
  ASSERT_EQ(run["verdict"]["answers"].size(), 1U) << "the second loader was not tuned";
  EXPECT_EQ(run["verdict"]["answers"][0]["proposed"], 2);
  EXPECT_TRUE(sample_data()["history"].is_null());
}

TEST(PageData, of_the_constants_has_those_that_the_run_named) {
  RunResult run = sample_run();
  const auto constants = [&] { return data_of({{"sample", run, {}}})["runs"][0]["constant"]; };
  run.set.clear();
  EXPECT_TRUE(constants().empty());
  const std::string name = constant_settings(run).front();
  run.set = {name};
  ASSERT_EQ(constants().size(), 1U);
  EXPECT_EQ(constants()[0][0], name);
}

TEST(PageData, names_cells_by_their_position_where_the_indices_have_gaps) {
  RunResult run = sample_run();
  run.cells.erase(run.cells.begin());
  const Json data = data_of({{"sample", run, {}}})["runs"][0];
  EXPECT_EQ(data["verdict"]["answers"][0]["fastest"], 0);
  EXPECT_EQ(data["cells"][0]["index"], 1);
}

TEST(PageData, a_run_without_a_measured_cell_has_no_best) {
  RunResult run = sample_run();
  run.cells.erase(run.cells.begin(), run.cells.begin() + 3);
  const Json verdict = data_of({{"sample", run, {}}})["runs"][0]["verdict"];
  EXPECT_TRUE(verdict["answers"].empty());
}

TEST(PageData, metrics_are_null_where_a_cell_has_none) {
  const Json data = sample_data();
  const auto& tags = data["metrics"];
  const auto place = std::find(tags.begin(), tags.end(), "au") - tags.begin();
  EXPECT_DOUBLE_EQ(data["cells"][0]["metrics"][static_cast<std::size_t>(place)], 0.2411);
  EXPECT_TRUE(data["cells"][1]["metrics"][static_cast<std::size_t>(place)].is_null());
  EXPECT_TRUE(data["cells"][3]["metrics"][static_cast<std::size_t>(place)].is_null());
}

TEST(PageData, timings_are_in_tenths_of_microseconds) {
  const Json starts = sample_data()["cells"][0]["starts"];
  ASSERT_EQ(starts.size(), 2U);
  EXPECT_EQ(starts[0]["loading"], Json({7800.0, 100000.0, 0.0}));
}

TEST(PageData, a_timing_that_is_no_number_is_null) {
  RunResult run = sample_run();
  run.cells[0].repeats[0].series["loading_time"] = {std::nan("")};
  EXPECT_TRUE(
      data_of({{"s", run, {}}})["runs"][0]["cells"][0]["starts"][0]["loading"][0].is_null());
}

TEST(PageData, the_monitors_series_are_those_of_the_last_start) {
  RunResult run = sample_run();
  run.cells[0].repeats[0].series["monitor_time"] = {9.0};
  run.cells[0].repeats[1].series["monitor_time"] = {0.1, 0.2};
  run.cells[0].repeats[1].series["monitor_cpu_main"] = {0.5, 1.0};
  const Json data = data_of({{"s", run, {}}});
  EXPECT_EQ(data["runs"][0]["cells"][0]["monitor"],
            Json({{"time", {0.1, 0.2}}, {"cpu_main", {0.5, 1.0}}}));
  EXPECT_TRUE(sample_data()["cells"][0]["monitor"].empty());
}

TEST(PageData, long_series_are_means_of_blocks_and_their_last_times) {
  RunResult run = sample_run();
  auto& series = run.cells[0].repeats[1].series;
  for (int i = 0; i < 600; ++i) {
    series["monitor_time"].push_back(i);
    series["monitor_cpu_main"].push_back(i % 5);
  }
  const Json monitor = data_of({{"s", run, {}}})["runs"][0]["cells"][0]["monitor"];
  ASSERT_EQ(monitor["time"].size(), 120U);
  EXPECT_EQ(monitor["time"][0], 4);
  EXPECT_EQ(monitor["cpu_main"][0], 2.0);
}

TEST(PageData, a_monitored_cell_is_advised) {
  RunResult run = sample_run();
  run.cells[0].metrics.push_back({"monitor_cpu", 0.01});
  run.cells[0].metrics.push_back({"cpu_busy", 1.0});
  const Json cell = data_of({{"s", run, {}}})["runs"][0]["cells"][0];
  ASSERT_EQ(cell["advice"].size(), 1U);
  EXPECT_TRUE(cell["advice"][0].get<std::string>().starts_with("CPU: 100 %"));
  EXPECT_TRUE(sample_data()["cells"][0]["advice"].empty());
}

TEST(PageData, a_simulated_run_says_so) {
  EXPECT_EQ(sample_data()["notice"], "simulated device: sim:a100-pcie4");
}

TEST(PageData, a_judged_cell_says_what_limits_it) {
  RunResult run = sample_run();
  run.cells[0].bottleneck = "GPU";
  const Json cell = data_of({{"sample", run, {}}})["runs"][0]["cells"][0];
  EXPECT_EQ(cell["bottleneck"], "GPU");
  EXPECT_EQ(cell["verdict"], verdict_text(run.cells[0]));
}

void disturb(CellResult& cell) {
  for (const Metric& metric :
       std::vector<Metric>{{"cpus", 2.0}, {"foreign_cpu", 0.96}, {"disturbed", 1.0}}) {
    cell.metrics.push_back(metric);
    for (Repeat& start : cell.repeats) start.metrics.push_back(metric);
  }
}

TEST(PageData, a_disturbed_cell_says_who_took_its_cpus) {
  RunResult run = sample_run();
  disturb(run.cells[0]);
  const Json cells = data_of({{"sample", run, {}}})["runs"][0]["cells"];
  EXPECT_EQ(cells[0]["foreign_load"], foreign_load_text(run.cells[0]));
  EXPECT_NE(cells[0]["foreign_load"], "");
  EXPECT_EQ(cells[1]["foreign_load"], "");
}

TEST(PageData, the_answer_and_the_run_caution_where_others_took_cpus) {
  RunResult run = sample_run();
  EXPECT_EQ(sample_data()["foreign_load"], "");
  EXPECT_EQ(sample_data()["verdict"]["answers"][0]["remarks"]["caution"], "");
  for (CellResult& cell : run.cells) disturb(cell);
  const Json data = data_of({{"sample", run, {}}})["runs"][0];
  EXPECT_EQ(data["foreign_load"], foreign_load_sentence(run));
  EXPECT_THAT(data["verdict"]["answers"][0]["remarks"]["caution"].get<std::string>(),
              HasSubstr("other programs used 0.96 of 2 CPUs"));
}

TEST(PageData, lines_of_another_loaders_answer_stand_under_a_heading_that_says_so) {
  RunResult run = sample_run();
  for (CellResult& cell : run.cells) cell.settings.push_back({"engine", std::string("native")});
  const Json remarks =
      data_of({{"sample", run, {}}})["runs"][0]["verdict"]["answers"][0]["remarks"];
  EXPECT_EQ(remarks["lines_heading"], lines_heading(run, run.cells[0]));
  EXPECT_THAT(remarks["lines_heading"].get<std::string>(),
              HasSubstr("which may need more workers"));
}

TEST(PageData, carries_the_csv_as_sweep_writes_it) {
  std::ostringstream csv;
  write_cells_csv(csv, sample_run());
  EXPECT_EQ(sample_data()["csv"], csv.str());
}

TEST(PageData, execution_summaries_are_found_by_the_cells_index) {
  const Json data = data_of({{"sample", sample_run(), {{2, "Execution Summary"}}}});
  EXPECT_EQ(data["runs"][0]["profiles"]["2"], "Execution Summary");
}

TEST(PageData, one_run_is_compared_with_nothing) {
  EXPECT_TRUE(data_of({{"a", sample_run(), {}}})["comparisons"].empty());
}

TEST(PageData, later_runs_are_compared_with_the_first) {
  const std::vector<PageRun> runs{
      {"a", sample_run(), {}}, {"b", sample_run(), {}}, {"c", slower_run(), {}}};
  const Json comparisons = data_of(runs)["comparisons"];
  ASSERT_EQ(comparisons.size(), 2U);
  EXPECT_EQ(comparisons[0]["cells"][0]["ratio"], 1.0);
  EXPECT_EQ(comparisons[1]["b"], 2);
  EXPECT_EQ(comparisons[1]["cells"][0]["ratio"], 0.5);
  EXPECT_TRUE(comparisons[1]["cells"][0]["regression"]);
  EXPECT_THAT(comparisons[1]["text"].get<std::string>(), HasSubstr("0.500"));
}

}  // namespace
}  // namespace feedrate
