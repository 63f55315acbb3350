// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "analysis/tuner/settings.h"
#include "analysis/tuner/what_if.h"

namespace feedrate {
namespace {

using ::testing::ElementsAre;
using ::testing::SizeIs;

// A loader without workers: 50 ms per batch of 10, with a share of CPU time, and 20 ms of training.
RunResult watched_loader(double cpu_share) {
  CellResult cell;
  cell.outcome = Outcome::kOk;
  cell.settings = {{"engine", std::string("torch")},          {"site", std::string("train.py:42")},
                   {"batch_size", std::int64_t{10}},          {"num_workers", std::int64_t{0}},
                   {"prefetch_factor", std::string()},        {"pin_memory", false},
                   {"persistent_workers", std::string()},     {"in_order", std::string()},
                   {"multiprocessing_context", std::string()}};
  cell.metrics = {{"samples_per_second", 10 / 0.07},
                  {"step_time", 0.07},
                  {"loading_time", 0.05},
                  {"wait_time", 0.05},
                  {"training_time", 0.02},
                  {"fetch_time", 0.005},
                  {"fetch_cpu_time", 0.005 * cpu_share}};
  cell.repeats = {{.metrics = cell.metrics}};
  RunResult run;
  run.cells = {cell};
  LoaderHistory loader;
  loader.segments = {{.settings = cell.settings}};
  run.history = RunHistory{{}, {loader}};
  return run;
}

// The same loader with workers: a step takes `step` seconds, including `wait`.
RunResult with_workers(std::int64_t workers, double step, double wait) {
  RunResult run = watched_loader(0.1);
  CellResult& cell = run.cells.front();
  cell.settings[3].value = workers;
  cell.settings[4].value = std::int64_t{2};
  run.history->loaders.front().segments.front().settings = cell.settings;
  for (Metric& metric : cell.metrics) {
    if (metric.tag == "samples_per_second") metric.value = 10 / step;
    if (metric.tag == "step_time") metric.value = step;
    if (metric.tag == "loading_time" || metric.tag == "wait_time") metric.value = wait;
  }
  cell.repeats = {{.metrics = cell.metrics}};
  return run;
}

std::vector<std::size_t> workers_of(const RunResult& run) {
  std::vector<std::size_t> workers;
  for (const CellResult& cell : run.cells) {
    const std::size_t count = loop_settings(cell.settings).num_workers;
    if (workers.empty() || workers.back() != count) workers.push_back(count);
  }
  return workers;
}

TEST(Unmeasured, are_settings_with_workers_up_to_the_cores) {
  RunResult run = watched_loader(1.0);
  add_unmeasured(run, 6.0);
  EXPECT_THAT(workers_of(run), ElementsAre(0, 1, 2, 3, 4, 6));
  ASSERT_THAT(run.cells, SizeIs(11)) << "prefetch_factor of 2 and 4, but not without workers";
  EXPECT_EQ(run.cells.back().outcome, Outcome::kPending);
  EXPECT_EQ(run.cells.back().index, 10U);
  EXPECT_EQ(text_of(run.cells.back().settings, "in_order"), "true");
  EXPECT_EQ(text_of(run.cells.back().settings, "site"), "train.py:42");
}

TEST(Unmeasured, of_batches_that_mostly_wait_have_more_workers_than_cores) {
  RunResult run = watched_loader(0.1);
  add_unmeasured(run, 2.0);
  EXPECT_EQ(workers_of(run).back(), 8U);
}

TEST(Unmeasured, are_none_of_those_that_were_tried) {
  RunResult run = watched_loader(1.0);
  add_unmeasured(run, 6.0);
  const std::size_t all = run.cells.size();
  for (CellResult& cell : run.cells) {  // Sets the start method, as a script does.
    if (loop_settings(cell.settings).num_workers > 0)
      cell.settings.back().value = std::string("fork");
  }
  add_unmeasured(run, 6.0);
  EXPECT_THAT(run.cells, SizeIs(all));
}

TEST(Unmeasured, of_anything_else_are_none) {
  RunResult run = watched_loader(1.0);
  run.history.reset();
  add_unmeasured(run, 6.0);
  EXPECT_THAT(run.cells, SizeIs(1));
}

Answer predicted(RunResult run, double cores) {
  add_unmeasured(run, cores);
  std::vector<Situation> situations = what_if(run, cores, std::vector<World>(1));
  EXPECT_THAT(situations, SizeIs(1));
  return situations.at(0).answers.at(0);
}

std::size_t best_workers(const Answer& answer) {
  return loop_settings(answer.forecasts[answer.best_then].settings).num_workers;
}

// Three or more workers with 50 ms per batch keep up with 20 ms of training. A loader with one
// worker waits for it, not for transport.
TEST(Unmeasured, settings_are_predicted_from_what_one_was_seen_to_cost) {
  for (const double cpu_share : {0.1, 1.0}) {
    const Answer answer = predicted(watched_loader(cpu_share), 4.0);
    EXPECT_EQ(best_workers(answer), 3U);
    EXPECT_NEAR(answer.gain(), 0.07 / 0.02 - 1.0, 0.1) << cpu_share;
  }
  const Answer answer = predicted(with_workers(1, 0.05, 0.03), 4.0);
  EXPECT_EQ(best_workers(answer), 3U);
  EXPECT_NEAR(answer.gain(), 0.05 / 0.02 - 1.0, 0.1);
}

// Two cores make at most two batches at a time, unless loading mostly waits.
TEST(Unmeasured, settings_are_predicted_with_the_cores_that_batches_take) {
  EXPECT_NEAR(predicted(watched_loader(0.1), 2.0).gain(), 0.07 / 0.02 - 1.0, 0.1);
  EXPECT_LT(predicted(watched_loader(1.0), 2.0).gain(), 0.07 / 0.025 - 1.0 + 0.1);
}

// Workers that keep up hide their cost in the step; fetch_time shows it.
TEST(Unmeasured, a_faster_gpu_waits_for_workers_that_keep_up_today) {
  const RunResult run = with_workers(3, 0.02, 1e-4);
  const std::vector<Situation> situations =
      what_if(run, 8.0, std::vector<World>{{.gpu_speed = 4.0}});
  ASSERT_THAT(situations, SizeIs(1));
  EXPECT_NEAR(situations.front().answers.front().forecasts.front().then, 10 / (0.05 / 3), 60.0);
}

}  // namespace
}  // namespace feedrate
