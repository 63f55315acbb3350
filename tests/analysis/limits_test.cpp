// SPDX-License-Identifier: Apache-2.0
#include "analysis/limits.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "analysis/best.h"
#include "analysis/foreign_load.h"
#include "tests/analysis/report/sample_run.h"

namespace feedrate {
namespace {

using ::testing::HasSubstr;

Settings settings_of(const char* loader, const char* trainer, std::int64_t batch_size = 100) {
  return {{"loader", std::string(loader)},
          {"trainer", std::string(trainer)},
          {"batch_size", batch_size},
          {"num_workers", std::int64_t{2}}};
}

CellResult cell_at(std::size_t index, double rate, std::vector<Metric> metrics = {}) {
  CellResult cell = measured_cell(index, settings_of("dataloader", "burn"), rate);
  cell.metrics.insert(cell.metrics.end(), metrics.begin(), metrics.end());
  return cell;
}

CellResult trainer_at(std::size_t index, double rate, std::int64_t batch_size = 100) {
  return measured_cell(index, settings_of("cached", "burn", batch_size), rate);
}

CellResult loader_at(std::size_t index, double rate) {
  return measured_cell(index, settings_of("dataloader", "discard"), rate);
}

// A cell with 1000 samples/s, 100 ms per batch, a trainer limit of 4000 and a loader limit of 2000.
CellResult judged(std::vector<Metric> metrics, double rate = 1000.0, double trainer = 4000.0) {
  RunResult run;
  run.cells = {cell_at(0, rate, std::move(metrics)), trainer_at(1, trainer), loader_at(2, 2000.0)};
  judge_by_limits(run);
  return run.cells[0];
}

double limit_metric(const CellResult& cell, const char* tag) {
  const double* const value = find_metric(cell.metrics, tag);
  return value == nullptr ? -1.0 : *value;
}

TEST(JudgeByLimits, says_what_a_cell_could_win) {
  const CellResult cell = judged({});
  EXPECT_DOUBLE_EQ(limit_metric(cell, "trainer_limit"), 4000.0);
  EXPECT_DOUBLE_EQ(limit_metric(cell, "loader_limit"), 2000.0);
  EXPECT_DOUBLE_EQ(limit_metric(cell, "headspace"), 4.0);
  EXPECT_DOUBLE_EQ(limit_metric(cell, "stall"), 0.75);
}

TEST(JudgeByLimits, takes_the_fastest_limit_of_the_same_work) {
  RunResult run;
  run.cells = {cell_at(0, 1000.0), trainer_at(1, 1500.0), trainer_at(2, 2000.0),
               trainer_at(3, 9000.0, 50)};
  judge_by_limits(run);
  EXPECT_DOUBLE_EQ(limit_metric(run.cells[0], "trainer_limit"), 2000.0);
}

TEST(JudgeByLimits, tells_what_the_step_reaches_without_a_copy) {
  RunResult run;
  run.cells = {cell_at(0, 1000.0), trainer_at(1, 1500.0),
               measured_cell(2, settings_of("resident", "burn"), 1800.0)};
  judge_by_limits(run);
  EXPECT_DOUBLE_EQ(limit_metric(run.cells[0], "step_limit"), 1800.0);
  EXPECT_DOUBLE_EQ(limit_metric(run.cells[0], "trainer_limit"), 1500.0);
  EXPECT_THAT(verdict_text(run.cells[0]), HasSubstr("(1,800/s without a copy)"));
  EXPECT_TRUE(is_limit(run.cells[2]));
  EXPECT_EQ(limit_metric(run.cells[2], "trainer_limit"), -1.0);
}

TEST(JudgeByLimits, never_finds_a_negative_stall) {
  const CellResult cell = judged({}, 1010.0, 1000.0);
  EXPECT_DOUBLE_EQ(limit_metric(cell, "stall"), 0.0);
  EXPECT_EQ(cell.bottleneck, "GPU");
}

TEST(JudgeByLimits, blames_the_loader_for_nothing_that_other_programs_did) {
  const std::vector<Metric> busy{{"decode_time", 0.0018}, {"wait_time", 0.08}};
  EXPECT_EQ(judged(busy).bottleneck, "decode CPU");
  std::vector<Metric> disturbed = busy;
  for (const auto& [tag, value] :
       std::vector<Metric>{{"cpus", 2.0}, {"foreign_cpu", 0.96}, {"disturbed", 1.0}}) {
    disturbed.push_back({tag, value});
  }
  const CellResult cell = judged(disturbed);
  EXPECT_EQ(cell.bottleneck, "other programs");
  EXPECT_NE(verdict_text(cell).find("other programs used 0.96 of 2 CPUs"), std::string::npos);
  EXPECT_EQ(judged(disturbed, 1000.0, 1000.0).bottleneck, "GPU") << "nothing is stalled";
}

// 50 steps of 100 ms with 2 MB/s from storage.
TEST(JudgeByLimits, does_not_blame_storage_that_other_programs_used_more) {
  const auto with_foreign_io = [](double foreign_io, double cpu_time = 0.9e-3) {
    return judged({{"wait_time", 0.075},
                   {"cpu_time", cpu_time},
                   {"steps", 50.0},
                   {"storage_read_bytes", 1e7},
                   {"foreign_io", foreign_io}});
  };
  EXPECT_EQ(with_foreign_io(1.9e6).bottleneck, "storage");
  EXPECT_EQ(with_foreign_io(2.1e6, 1.1e-3).bottleneck, "decode CPU");
  const CellResult cell = with_foreign_io(2.1e6);
  EXPECT_EQ(cell.bottleneck, "other programs");
  EXPECT_TRUE(is_disturbed(cell));
  EXPECT_THAT(verdict_text(cell), HasSubstr("moved 2.10 MB/s on the dataset's device"));
}

TEST(JudgeByLimits, leaves_limits_and_cells_without_a_limit_alone) {
  RunResult run;
  run.cells = {cell_at(0, 1000.0), loader_at(1, 2000.0)};
  judge_by_limits(run);
  EXPECT_DOUBLE_EQ(limit_metric(run.cells[0], "loader_limit"), 2000.0);
  EXPECT_DOUBLE_EQ(limit_metric(run.cells[0], "stall"), -1.0);
  EXPECT_EQ(run.cells[0].bottleneck, "");
  EXPECT_DOUBLE_EQ(limit_metric(run.cells[1], "loader_limit"), -1.0);
}

TEST(JudgeByLimits, replaces_an_earlier_judgement) {
  RunResult run;
  run.cells = {cell_at(0, 1000.0), trainer_at(1, 2000.0)};
  judge_by_limits(run);
  run.cells[1].metrics = {{"samples_per_second", 4000.0}};
  judge_by_limits(run);
  EXPECT_DOUBLE_EQ(limit_metric(run.cells[0], "headspace"), 4.0);
  EXPECT_EQ(run.cells[0].metrics.size(), 4U);
}

struct Blamed {
  std::vector<Metric> metrics;
  const char* bottleneck;
  double rate = 1000.0;
  double trainer = 4000.0;
};

// Two workers with 100 ms per step: each takes 200 ms per batch of 100 samples.
TEST(JudgeByLimits, blames_what_the_figures_show) {
  const Metric wait{"wait_time", 0.075}, little{"wait_time", 0.009}, cpu{"cpu_time", 0.9e-3};
  const Metric steps{"steps", 50.0}, decode{"decode_time", 0.5e-3};
  const std::vector<Blamed> all{
      // The stage that takes most of a worker's time.
      {{wait, {"read_time", 1.1e-3}, decode}, "storage"},
      {{wait, {"read_time", 0.4e-3}, decode, {"transform_time", 0.6e-3}}, "decode CPU"},
      {{wait, {"read_time", 0.4e-3}, decode}, "transport"},
      // Foreign traffic of the storage says nothing of reads from the page cache.
      {{wait,
        {"read_time", 1.1e-3},
        decode,
        steps,
        {"storage_read_bytes", 0.0},
        {"foreign_io", 1e9}},
       "storage"},
      // CPU time and storage, where no stage is known.
      {{wait, {"cpu_time", 1.1e-3}}, "decode CPU"},
      {{wait, cpu, {"storage_read_bytes", 1e6}}, "storage"},
      {{wait, cpu, {"storage_read_bytes", 0.0}}, "transport"},
      // Imports read little for 50 steps of 100 samples.
      {{wait, cpu, steps, {"storage_read_bytes", 1e6}}, "transport"},
      {{wait, cpu, steps, {"storage_read_bytes", 1e7}}, "storage"},
      // The copy, where it is longer than waiting and half of the stall of 75 ms.
      {{{"wait_time", 0.037}, {"copy_time_device", 0.038}}, "copy"},
      {{{"wait_time", 0.039}, {"copy_time_device", 0.038}}, "transport"},
      {{{"wait_time", 0.010}, {"copy_time_device", 0.037}}, "transport"},
      {{{"wait_time", 0.02}, {"copy_time_device", 0.01}, {"read_time", 1e-3}}, "decode CPU"},
      // Up to ten percent.
      {{little}, "balanced", 1000.0, 1110.0},
      {{little}, "transport", 1000.0, 1120.0},
      // Copy and step at the trainer's limit.
      {{{"compute_time_device", 0.04}, {"copy_time_device", 0.06}, {"copy_overlap", 0.0}},
       "copy",
       1000.0,
       1010.0},
      {{{"compute_time_device", 0.04}, {"copy_time_device", 0.06}, {"copy_overlap", 0.5}},
       "GPU",
       1000.0,
       1010.0},
  };
  for (std::size_t i = 0; i < all.size(); ++i) {
    EXPECT_EQ(judged(all[i].metrics, all[i].rate, all[i].trainer).bottleneck, all[i].bottleneck)
        << i;
  }
}

TEST(JudgeByLimits, blames_the_cpu_where_none_is_idle) {
  const CellResult cell = judged({{"wait_time", 0.075},
                                  {"cpu_time", 0.9e-3},
                                  {"cpu_busy", 0.99},
                                  {"storage_read_bytes", 1e6}});
  EXPECT_EQ(cell.bottleneck, "decode CPU");
  EXPECT_THAT(verdict_text(cell), HasSubstr("the rest is waiting for a CPU"));
}

// PyTorch's additional cost is a worker's work, in none of its stages.
TEST(JudgeByLimits, knows_no_stages_where_pytorchs_costs_are_emulated) {
  RunResult run;
  CellResult cell = cell_at(
      0, 1000.0,
      {{"wait_time", 0.075}, {"read_time", 0.1e-3}, {"decode_time", 0.2e-3}, {"cpu_time", 1.5e-3}});
  cell.settings.push_back({"emulate", std::string("profile.yaml")});
  run.cells = {cell, trainer_at(1, 4000.0), loader_at(2, 2000.0)};
  judge_by_limits(run);
  EXPECT_EQ(run.cells[0].bottleneck, "decode CPU");
}

// Four ranks, each with a stall of 75 ms; the rate is of all of them.
TEST(JudgeByLimits, takes_the_step_of_a_rank_where_there_are_several) {
  const auto with_copy = [](double copy) {
    RunResult run;
    run.cells = {cell_at(0, 4000.0, {{"wait_time", 0.01}, {"copy_time_device", copy}}),
                 trainer_at(1, 16'000.0)};
    for (CellResult& cell : run.cells) cell.settings.push_back({"ranks", std::int64_t{4}});
    judge_by_limits(run);
    return run.cells[0].bottleneck;
  };
  EXPECT_EQ(with_copy(0.038), "copy");
  EXPECT_NE(with_copy(0.037), "copy");
}

TEST(JudgeByLimits, takes_the_step_that_was_measured_where_the_dataset_makes_the_batches) {
  const auto bottleneck = [](double copy) {
    RunResult run;
    run.cells = {
        cell_at(0, 1000.0, {{"wait_time", 0.01}, {"copy_time_device", copy}, {"step_time", 0.1}}),
        trainer_at(1, 4000.0)};
    for (CellResult& cell : run.cells) {
      for (Setting& setting : cell.settings) {
        if (setting.name == "batch_size") setting.value = "null";
      }
    }
    judge_by_limits(run);
    return run.cells[0].bottleneck;
  };
  EXPECT_EQ(bottleneck(0.076), "copy");
  EXPECT_NE(bottleneck(0.03), "copy");
}

TEST(JudgeByLimits, blames_the_step_on_the_cpu_where_there_is_no_gpu) {
  RunResult run;
  run.cells = {cell_at(0, 1000.0), trainer_at(1, 1005.0)};
  for (CellResult& cell : run.cells) cell.settings.push_back({"device", std::string("cpu")});
  judge_by_limits(run);
  EXPECT_EQ(run.cells[0].bottleneck, "step CPU");
  EXPECT_THAT(verdict_text(run.cells[0]), HasSubstr("the step takes the time"));
}

// Intervals of few starts may be too narrow, so less than 10 % is ignored.
TEST(JudgeByLimits, takes_a_trainer_for_a_limit_that_a_cell_exceeds_by_little) {
  RunResult run;
  run.cells = {measured_cell(0, settings_of("dataloader", "burn"), 1020.0, 1.0),
               measured_cell(1, settings_of("cached", "burn"), 1000.0, 1.0)};
  judge_by_limits(run);
  EXPECT_EQ(run.cells[0].bottleneck, "GPU");
}

TEST(JudgeByLimits, takes_no_trainer_for_a_limit_that_is_slower_than_a_cell) {
  const CellResult cell = judged({}, 400.0, 141.0);
  EXPECT_EQ(cell.bottleneck, "");
  EXPECT_EQ(limit_metric(cell, "stall"), -1.0);
  EXPECT_THAT(verdict_text(cell), HasSubstr("unknown: the trainer alone reaches 141/s, "));
  EXPECT_EQ(judged({}, 1009.0, 1000.0).bottleneck, "GPU");
  EXPECT_EQ(judged({}, 1500.0, 1000.0).bottleneck, "GPU");
}

TEST(VerdictText, proves_it_by_the_stage_times) {
  EXPECT_EQ(
      verdict_text(judged({{"wait_time", 0.075},
                           {"read_time", 0.1e-3},
                           {"decode_time", 1.2e-3},
                           {"transform_time", 0.3e-3}})),
      "decode CPU: 75.0 % of the step is stalled, up to 4.00x possible: the trainer alone reaches "
      "4,000/s, the loader alone reaches 2,000/s; of 200 ms per batch in a worker, reading takes "
      "10.0 ms, decoding and transforms 150 ms, collating and transport 40.0 ms");
}

TEST(VerdictText, says_where_nothing_is_left_to_win) {
  EXPECT_EQ(verdict_text(judged({{"compute_time_device", 0.09}, {"copy_time_device", 0.005}},
                                1000.0, 1010.0)),
            "GPU: already GPU-bound, faster loading gains nothing: the trainer alone reaches "
            "1,010/s, the loader alone reaches 2,000/s; a batch takes 90.0 ms of compute and 5.00 "
            "ms of copy that does not overlap with kernels");
}

TEST(VerdictText, is_empty_where_nothing_was_judged) { EXPECT_EQ(verdict_text({}), ""); }

TEST(BottleneckCounts, are_in_the_order_of_the_classes) {
  RunResult run;
  for (const char* bottleneck : {"GPU", "decode CPU", "", "GPU"}) {
    run.cells.emplace_back().bottleneck = bottleneck;
  }
  EXPECT_EQ(bottleneck_counts(run), "decode CPU 1, GPU 2");
}

}  // namespace
}  // namespace feedrate
