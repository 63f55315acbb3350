// SPDX-License-Identifier: Apache-2.0
#include "analysis/tuner/scaling.h"

#include <algorithm>
#include <sstream>
#include <tuple>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "analysis/noise.h"
#include "analysis/tuner/dataset_counts.h"
#include "analysis/tuner/scaling_text.h"
#include "core/error.h"
#include "tests/analysis/tuner/synthetic_world.h"
#include "tests/support/golden.h"

namespace feedrate {
namespace {

using ::testing::HasSubstr;
using ::testing::SizeIs;

constexpr double kCores = 8.0;

// 0 to 8 workers, files of 110 kB, batches of 32, a step of `compute` seconds.
RunResult recorded(double compute = 0.010) {
  BatchCosts costs = testing::some_costs(compute);
  testing::SyntheticWorld world(costs, {.count = kCores}, 0.0, 0.0, 7);
  RunResult run;
  for (const std::int64_t workers : {0, 1, 2, 4, 8}) {
    Settings settings = testing::settings_with(workers, 2, true);
    settings.push_back({"format", std::string("folder")});
    CellResult& cell = run.cells.emplace_back(testing::cell_with(settings));
    cell.index = run.cells.size() - 1;
    world.measure(cell);
  }
  run.environment.facts = {dataset_counts_fact("folder", 1.28e6, 1.28e6 * 110e3, 1.28e6)};
  return run;
}

ScalingQuestion of_64_nodes() {
  ScalingQuestion question;
  question.cluster = {.nodes = 64,
                      .ranks_per_node = 8,
                      .storage_bandwidth = 100e9,
                      .storage_latency = 1e-3,
                      .metadata_rate = 50e3,
                      .node_bandwidth = 25e9};
  return question;
}

// The same with several concurrent ranks, none slower for it.
RunResult recorded_by(std::int64_t ranks) {
  RunResult run = recorded();
  for (CellResult& cell : run.cells) {
    cell.settings.push_back({"ranks", ranks});
    const auto multiply = [&](std::vector<Metric>& metrics) {
      for (Metric& metric : metrics) {
        if (metric.tag.starts_with("samples_per_second")) {
          metric.value *= static_cast<double>(ranks);
        }
      }
    };
    multiply(cell.metrics);
    for (Repeat& repeat : cell.repeats) multiply(repeat.metrics);
  }
  return run;
}

std::string printed(const RunResult& run) {
  const ScalingQuestion question = of_64_nodes();
  const std::vector<ScalingAnswer> answers = scale_run(run, kCores, question);
  std::ostringstream out;
  print_scaling(out, {run, "a run", kCores, question, answers});
  return out.str();
}

// Eight ranks of 1,000/s: 8,000/s per node.
TEST(scale_bound, is_the_least_of_what_ranks_and_storage_reach) {
  const Cluster cluster{.nodes = 10, .ranks_per_node = 8, .storage_bandwidth = 1e9};
  Cluster slow = cluster;
  slow.metadata_rate = 5e3;
  Cluster linked = cluster;
  linked.node_bandwidth = 1e6;
  const std::tuple<SampleReads, Cluster, double, ScaleLimit> cases[] = {
      {{.bytes = 1e4}, cluster, 80'000.0, ScaleLimit::kOwn},
      {{.bytes = 1e5}, cluster, 10'000.0, ScaleLimit::kBandwidth},
      {{.bytes = 1e5, .metadata_operations = 2.0}, slow, 2'500.0, ScaleLimit::kMetadata},
      {{.bytes = 1e5}, linked, 100.0, ScaleLimit::kNodeLink}};
  for (const auto& [reads, nodes, rate, limit] : cases) {
    const ScaleBound bound = scale_bound(1000.0, reads, nodes);
    EXPECT_DOUBLE_EQ(bound.rate, rate);
    EXPECT_EQ(bound.limit, limit);
  }
}

TEST(saturation_nodes, is_the_first_number_at_which_the_storage_is_the_limit) {
  Cluster cluster{.ranks_per_node = 8, .storage_bandwidth = 100e9, .metadata_rate = 50e3};
  // 1e6/s by bandwidth are 125 nodes exactly: the 126th is one too many.
  EXPECT_EQ(saturation_nodes(1000.0, {.bytes = 1e5}, cluster), 126.0);
  EXPECT_EQ(saturation_nodes(1000.0, {.bytes = 1e5, .metadata_operations = 1.0}, cluster), 7.0);
  EXPECT_EQ(saturation_nodes(1000.0, {}, cluster), std::nullopt);
  cluster.node_bandwidth = 1e8;  // A node wants 8e8.
  EXPECT_EQ(saturation_nodes(1000.0, {.bytes = 1e5}, cluster), 1.0);
}

TEST(scale_run, takes_the_rate_of_several_ranks_for_that_of_all_of_them) {
  const ScalingAnswer one = scale_run(recorded(), kCores, of_64_nodes()).at(0);
  const ScalingAnswer eight = scale_run(recorded_by(8), kCores, of_64_nodes()).at(0);
  ASSERT_EQ(one.points.size(), eight.points.size());
  for (std::size_t i = 0; i < one.points.size(); ++i) {
    EXPECT_NEAR(eight.points[i].own_rate / one.points[i].own_rate, 1.0, 1e-6);
  }
}

TEST(scale_run, grows_linearly_up_to_where_metadata_saturates) {
  const RunResult run = recorded();
  const auto answers = scale_run(run, kCores, of_64_nodes());
  ASSERT_THAT(answers, SizeIs(1));
  const ScalingAnswer& answer = answers[0];
  ASSERT_THAT(answer.points, SizeIs(7));  // 1, 2, 4, … 64
  EXPECT_DOUBLE_EQ(answer.reads.bytes, 110e3);
  EXPECT_DOUBLE_EQ(answer.reads.metadata_operations, 1.0);
  EXPECT_DOUBLE_EQ(answer.reads.round_trips, 2.0);
  EXPECT_DOUBLE_EQ(answer.points[0].efficiency(8), 1.0);
  EXPECT_DOUBLE_EQ(answer.points[6].bound.rate, 50e3);
  EXPECT_EQ(answer.points[6].bound.limit, ScaleLimit::kMetadata);
  ASSERT_TRUE(answer.saturates_at);
  EXPECT_LT(*answer.saturates_at, 64.0);
}

TEST(scale_run, says_what_is_reached_at_least_where_workers_always_meet) {
  const RunResult run = recorded();
  const ScalingAnswer answer = scale_run(run, kCores, of_64_nodes()).at(0);
  for (const ScalePoint& point : answer.points) {
    EXPECT_LE(point.at_least, point.bound.rate) << point.nodes;
    EXPECT_GE(point.at_least, 0.5 * point.bound.rate) << point.nodes;
  }
  // 512 ranks of 8 workers are far beyond saturation: Z, 64 ms of round trips and 14 ms of making,
  // is 3 % of N·D.
  EXPECT_NEAR(answer.points.back().at_least, 50e3, 0.04 * 50e3);
}

const LayoutForecast& layout_of(const ScalingAnswer& answer, Layout layout) {
  const auto found = std::find_if(answer.layouts.begin(), answer.layouts.end(),
                                  [&](const LayoutForecast& one) { return one.layout == layout; });
  if (found == answer.layouts.end()) throw Error("there is no such layout");
  return *found;
}

TEST(scale_run, packing_frees_it_from_metadata_and_staging_from_the_storage) {
  const RunResult run = recorded();
  const ScalingAnswer answer = scale_run(run, kCores, of_64_nodes()).at(0);
  const LayoutForecast& as_it_is = answer.layouts.front();
  EXPECT_EQ(as_it_is.layout, Layout::kAsItIs);
  EXPECT_EQ(as_it_is.bound.limit, ScaleLimit::kMetadata);
  const LayoutForecast& packed = layout_of(answer, Layout::kPacked);
  EXPECT_NE(packed.bound.limit, ScaleLimit::kMetadata);
  EXPECT_GT(packed.bound.rate, as_it_is.bound.rate);
  const LayoutForecast& staged = layout_of(answer, Layout::kStaged);
  EXPECT_EQ(staged.bound.limit, ScaleLimit::kOwn);
  // 64 copies of 1.28 million files at 50,000/s.
  EXPECT_DOUBLE_EQ(staged.staging_time, 64 * 1.28e6 / 50e3);
  const double saved = 1.28e6 / as_it_is.bound.rate - 1.28e6 / staged.bound.rate;
  EXPECT_DOUBLE_EQ(staged.break_even_epochs, staged.staging_time / saved);
}

// 32 round trips of 1 ms take three times as long as making a batch.
TEST(scale_run, more_workers_than_cores_hide_the_latency) {
  const RunResult run = recorded(0.001);
  ScalingQuestion question;
  question.cluster = {.nodes = 2, .storage_latency = 2e-3};
  question.metadata_per_sample = 0.0;
  const ScalingAnswer answer = scale_run(run, kCores, question).at(0);
  EXPECT_EQ(answer.layouts.front().own_limit.what, Bottleneck::kStorage);
  const LayoutForecast& wide = layout_of(answer, Layout::kMoreWorkers);
  EXPECT_GT(wide.num_workers, 8U);
  EXPECT_GT(wide.bound.rate, 1.5 * answer.layouts.front().bound.rate);
}

TEST(scale_run, needs_to_know_how_large_a_sample_is) {
  RunResult run = recorded();
  run.environment.facts.clear();
  EXPECT_THROW(static_cast<void>(scale_run(run, kCores, of_64_nodes())), ConfigError);
  ScalingQuestion question = of_64_nodes();
  question.sample_bytes = 1e4;
  question.metadata_per_sample = 0.5;
  const ScalingAnswer answer = scale_run(run, kCores, question).at(0);
  EXPECT_DOUBLE_EQ(answer.reads.bytes, 1e4);
  EXPECT_DOUBLE_EQ(answer.points.back().bound.rate, 100e3);
}

TEST(print_scaling, of_8_ranks_on_64_nodes_is_as_committed) {
  expect_golden(printed(recorded()), "tests/golden/tuner/scaling_8x64.txt");
}

TEST(print_scaling, says_whose_loader_it_is) {
  RunResult run = recorded();
  for (CellResult& cell : run.cells) cell.settings.push_back({"engine", std::string("native")});
  EXPECT_THAT(printed(run), HasSubstr("These are rates of feedrate's native loader.\n"));
}

TEST(dataset_counts, are_those_of_the_format) {
  RunResult run;
  run.environment.facts = {dataset_counts_fact("tar", 1000.0, 5e6, 4.0),
                           dataset_counts_fact("zarr chunk=2 codec=zstd", 1000.0, 3e6, 500.0),
                           dataset_counts_fact("folder", 1000.0, 4e6, 1000.0)};
  const auto of = [&](const char* format) {
    return dataset_counts(run, {{"format", std::string(format)}});
  };
  EXPECT_DOUBLE_EQ(of("tar")->bytes, 5e6);
  EXPECT_DOUBLE_EQ(of("tar")->files_per_sample, 0.0);
  EXPECT_DOUBLE_EQ(of("folder")->files_per_sample, 1.0);
  EXPECT_FALSE(of("lmdb"));
}

TEST(dataset_counts, of_runs_that_count_no_files_are_taken_at_the_formats_word) {
  RunResult run;
  run.environment.facts = {{"dataset ", "16,000 records, 36.4 MB"},
                           {"dataset tar", "10 records, 5 B"}};
  const auto as_it_is = dataset_counts(run, {{"format", std::string()}});
  ASSERT_TRUE(as_it_is);
  EXPECT_DOUBLE_EQ(as_it_is->records, 16'000.0);
  EXPECT_NEAR(as_it_is->bytes, 36.4e6, 1.0);
  EXPECT_DOUBLE_EQ(as_it_is->files_per_sample, 1.0);
  EXPECT_DOUBLE_EQ(dataset_counts(run, {{"format", std::string("tar")}})->files_per_sample, 0.0);
}

}  // namespace
}  // namespace feedrate
