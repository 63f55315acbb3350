// SPDX-License-Identifier: Apache-2.0
#include <cmath>

#include <gtest/gtest.h>

#include "analysis/columns.h"
#include "bench/engines/protocol.h"
#include "core/error.h"

namespace feedrate {
namespace {

using std::chrono::milliseconds;

double metric(const std::vector<Metric>& metrics, const char* tag) {
  const double* value = find_metric(metrics, tag);
  return value ? *value : std::nan("");
}

// Two steps without a gap: wait 6 and 8 ms, copy 2 and 2, train 10 and 12; 4 samples each.
Measurement two_steps() {
  Measurement m;
  m.kept = {{milliseconds(0), milliseconds(6), milliseconds(8), milliseconds(18), 4},
            {milliseconds(18), milliseconds(26), milliseconds(28), milliseconds(40), 4}};
  m.spans = {{milliseconds(6), milliseconds(8), milliseconds(8), milliseconds(18)},
             {milliseconds(16), milliseconds(20), milliseconds(28), milliseconds(38)}};
  m.epochs = {{milliseconds(50), milliseconds(4)},
              {milliseconds(20), milliseconds(2)},
              {milliseconds(30), std::nullopt}};
  m.stages = {milliseconds(8), milliseconds(16), milliseconds(4)};
  m.cpu_seconds = 0.08;
  m.data_readiness = 0.25;
  return m;
}

// The second batch is half as large, and its kernels take half as long.
TEST(Summarize, an_incomplete_batch_counts_with_its_own_flops) {
  Measurement m = two_steps();
  m.spans[0].flops = 4e9;
  m.spans[1].flops = 2e9;
  m.spans[1].compute_end = m.spans[1].compute_begin + milliseconds(5);
  EXPECT_NEAR(metric(summarize(m).metrics, "flops_per_second"), 4e11, 1);
  EXPECT_TRUE(std::isnan(metric(summarize(two_steps()).metrics, "flops_per_second")));
}

TEST(Summarize, host_view_by_hand) {
  const Repeat repeat = summarize(two_steps());
  EXPECT_NEAR(metric(repeat.metrics, "loading_time"), 0.009, 1e-12);
  EXPECT_NEAR(metric(repeat.metrics, "wait_time"), 0.007, 1e-12);
  EXPECT_NEAR(metric(repeat.metrics, "copy_time"), 0.002, 1e-12);
  EXPECT_NEAR(metric(repeat.metrics, "training_time"), 0.011, 1e-12);
  EXPECT_NEAR(metric(repeat.metrics, "step_time"), 0.020, 1e-12);
  EXPECT_NEAR(metric(repeat.metrics, "step_time_max"), 0.022, 1e-12);
  EXPECT_NEAR(metric(repeat.metrics, "loading_time_ema"), 0.0082, 1e-12);  // 8 + 0.1 (10 - 8)
  EXPECT_NEAR(metric(repeat.metrics, "samples_per_second"), 200.0, 1e-9);  // 8 in 40 ms
  EXPECT_EQ(repeat.series.at("loading_time").size(), 2U);
}

TEST(Summarize, device_view_by_hand) {
  const Repeat repeat = summarize(two_steps());
  EXPECT_NEAR(metric(repeat.metrics, "au"), 0.5, 1e-12);  // 20 of 40 ms
  EXPECT_NEAR(metric(repeat.metrics, "gpu_busy"), 0.5, 1e-12);
  EXPECT_NEAR(metric(repeat.metrics, "copy_overlap"), 2.0 / 6, 1e-12);  // 16..18 under 8..18
  EXPECT_NEAR(metric(repeat.metrics, "compute_time_device"), 0.010, 1e-12);
  EXPECT_NEAR(metric(repeat.metrics, "copy_time_device"), 0.003, 1e-12);
}

TEST(Summarize, tokens_and_their_padding) {
  Measurement m = two_steps();
  EXPECT_TRUE(std::isnan(metric(summarize(m).metrics, "padding_share")));
  EXPECT_TRUE(std::isnan(metric(summarize(m).metrics, "tokens_per_second")));
  m.tokens = {300, 1200};
  EXPECT_NEAR(metric(summarize(m).metrics, "padding_share"), 0.75, 1e-12);
  EXPECT_NEAR(metric(summarize(m).metrics, "tokens_per_second"), 7500.0, 1e-9);  // in 40 ms
}

// The kernel of the discarded step reaches 4 ms into the host's window, and that of the last kept
// step ends 5 ms after it.
Measurement run_ahead() {
  Measurement m = two_steps();
  m.spans.insert(m.spans.begin(),
                 {milliseconds(-9), milliseconds(-6), milliseconds(-6), milliseconds(4)});
  m.spans.back().compute_end = milliseconds(45);
  return m;
}

TEST(Summarize, takes_its_window_from_the_device_where_the_host_runs_ahead_of_it) {
  const Repeat repeat = summarize(run_ahead());
  EXPECT_NEAR(metric(repeat.metrics, "samples_per_second"), 8 / 0.041, 1e-9);  // 4 to 45 ms
  EXPECT_NEAR(metric(repeat.metrics, "au"), (10.0 + 17.0) / 41, 1e-12);
  EXPECT_NEAR(metric(repeat.metrics, "gpu_busy"), (10.0 + 17.0) / 41, 1e-12);
  EXPECT_NEAR(metric(repeat.metrics, "compute_time_device"), (10.0 + 17.0) / 2e3, 1e-12);
}

// A kept step with device_prefetch launches the work of an earlier batch; the work of the last
// batch is launched after the window.
TEST(Summarize, ends_its_window_with_the_last_work_that_a_kept_step_launched) {
  Measurement m = run_ahead();
  m.owed = 1;
  m.spans.push_back({milliseconds(46), milliseconds(47), milliseconds(60), milliseconds(90)});
  EXPECT_NEAR(metric(summarize(m).metrics, "samples_per_second"), 8 / 0.041, 1e-9);
}

TEST(Summarize, refuses_a_device_that_was_busy_for_longer_than_the_window) {
  Measurement m = run_ahead();
  m.spans.back().compute_begin = milliseconds(5);
  EXPECT_THROW(static_cast<void>(summarize(m)), Error);
}

TEST(Summarize, epochs_and_stages_by_hand) {
  const Repeat repeat = summarize(two_steps());
  EXPECT_NEAR(metric(repeat.metrics, "first_batch_time_cold"), 0.050, 1e-12);
  EXPECT_NEAR(metric(repeat.metrics, "first_batch_time"), 0.025, 1e-12);
  EXPECT_NEAR(metric(repeat.metrics, "epoch_end_time"), 0.003, 1e-12);
  EXPECT_NEAR(metric(repeat.metrics, "decode_time"), 0.002, 1e-12);
  EXPECT_NEAR(metric(repeat.metrics, "cpu_time"), 0.010, 1e-12);
  EXPECT_NEAR(metric(repeat.metrics, "data_readiness"), 0.25, 1e-12);
}

TEST(Summarize, leaves_out_starts_of_delayed_epochs) {
  Measurement m = two_steps();
  for (EpochMarks& epoch : std::span(m.epochs).subspan(1)) epoch.is_delayed = true;
  const Repeat repeat = summarize(m);
  EXPECT_NEAR(metric(repeat.metrics, "first_batch_time_cold"), 0.050, 1e-12);
  EXPECT_EQ(find_metric(repeat.metrics, "first_batch_time"), nullptr);
}

TEST(Summarize, leaves_out_missing_figures) {
  Measurement m = two_steps();
  m.spans.clear();
  m.epochs.resize(1);
  m.data_readiness.reset();
  m.stages = {};
  const Repeat repeat = summarize(m);
  for (const char* tag : {"au", "gpu_busy", "copy_overlap", "first_batch_time", "data_readiness",
                          "decode_time", "read_time"}) {
    EXPECT_EQ(find_metric(repeat.metrics, tag), nullptr) << tag;
  }
}

TEST(Summarize, uses_no_column_that_the_dictionary_lacks) {
  for (const Metric& made : summarize(two_steps()).metrics) {
    const auto columns = metric_columns();
    EXPECT_TRUE(std::any_of(columns.begin(), columns.end(), [&](const Column& column) {
      return column.tag == made.tag;
    })) << made.tag;
  }
}

// DLIO's StatsCounter for an epoch, with its compute_metrics_train, in seconds. The loop alternates
// loading and computing; its first `exclude_start` and last `exclude_end` steps do not count.
struct DlioSteps {
  std::vector<double> load;
  std::vector<double> compute;

  double au(std::size_t exclude_start, std::size_t exclude_end) const {
    const std::size_t steps = load.size();
    double total_time = 0.0;
    double total_compute_time = 0.0;
    for (std::size_t i = 0; i < steps; ++i) total_time += load[i] + compute[i];
    for (std::size_t i = 0; i < steps; ++i) {
      const bool is_excluded = i < exclude_start || i + exclude_end >= steps;
      is_excluded ? total_time -= load[i] + compute[i] : total_compute_time += compute[i];
    }
    return total_compute_time / total_time;
  }

  // Returns the same steps as a measurement of ours, the first ones discarded; nothing is copied.
  Measurement measurement(std::size_t discarded) const {
    Measurement m;
    Nanos now{};
    for (std::size_t i = 0; i < load.size(); ++i) {
      StepMarks step;
      step.asked = now;
      step.loaded = step.copied = now + from_seconds(load[i]);
      step.trained = step.copied + from_seconds(compute[i]);
      step.samples = 7;
      now = step.trained;
      m.spans.push_back({step.copied, step.copied, step.copied, step.trained});
      (i < discarded ? m.discarded : m.kept).push_back(step);
    }
    return m;
  }
};

// The steps are those of unet3d on an H100, 0.323 s each, with workers sometimes ahead.
TEST(Summarize, au_is_that_of_dlio_on_the_same_times) {
  const DlioSteps steps{{4.1, 0.002, 0.0005, 0.12, 0.09, 0.0004, 0.31, 0.02},
                        {0.331, 0.3231, 0.3232, 0.323, 0.3235, 0.323, 0.3234, 0.3231}};
  const double au = metric(summarize(steps.measurement(1)).metrics, "au");
  EXPECT_NEAR(au, 2.2623 / (2.2623 + 0.5429), 1e-7);  // The sums by hand, without the first step.
  EXPECT_NEAR(au, steps.au(1, 0), 1e-7);
  EXPECT_NEAR(metric(summarize(steps.measurement(5)).metrics, "au"), steps.au(5, 0), 1e-7);
}

// mlcommons/storage computes total_compute_time = records_per_file * total_files / accelerators /
// batch_size * computation_time * epochs; here 1 * 28 / 1 / 7 * 0.323 * 1 s in 1.5 s.
TEST(Summarize, au_is_that_of_mlperf_storage) {
  const DlioSteps steps{{0.104, 0.052, 0.026, 0.026}, {0.323, 0.323, 0.323, 0.323}};
  EXPECT_NEAR(metric(summarize(steps.measurement(0)).metrics, "au"), 28.0 / 7 * 0.323 / 1.5, 1e-7);
}

}  // namespace
}  // namespace feedrate
