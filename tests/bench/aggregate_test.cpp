#include "bench/engines/aggregate.h"

#include <cmath>

#include <gtest/gtest.h>

#include "report/columns.h"

namespace feedrate {
namespace {

using std::chrono::milliseconds;

double metric(const std::vector<Metric>& metrics, const char* tag) {
  const double* value = find_metric(metrics, tag);
  return value ? *value : std::nan("");
}

// Two steps one after the other: wait 6 and 8 ms, copy 2 and 2, train 10 and 12; 4 samples each.
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

// The first kernel belongs to a discarded step and reaches 4 ms into the window; the last one's end
// lies 5 ms behind it.
TEST(Summarize, counts_what_the_device_did_in_the_window_whosever_step_it_was) {
  Measurement m = two_steps();
  m.spans.insert(m.spans.begin(),
                 {milliseconds(-9), milliseconds(-6), milliseconds(-6), milliseconds(4)});
  m.spans.back().compute_end = milliseconds(45);
  const Repeat repeat = summarize(m);
  EXPECT_NEAR(metric(repeat.metrics, "au"), (4.0 + 10.0 + 12.0) / 40, 1e-12);
  EXPECT_NEAR(metric(repeat.metrics, "gpu_busy"), (4.0 + 10.0 + 12.0) / 40, 1e-12);
  EXPECT_NEAR(metric(repeat.metrics, "compute_time_device"), (10.0 + 17.0) / 2e3, 1e-12);
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

TEST(Summarize, leaves_out_what_was_not_there) {
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

Repeat repeat_with(double rate, double memory, double steps) {
  return {{{"samples_per_second", rate},
           {"memory", memory},
           {"steps", steps},
           {"step_time_max", memory}},
          {}};
}

// Mean 110, s = 10, t(0.975, 2) = 4.302653: half width 24.84138.
TEST(Combine, means_peaks_sums_and_the_interval_over_starts) {
  const auto metrics =
      combine({repeat_with(100, 1e9, 60), repeat_with(110, 3e9, 60), repeat_with(120, 2e9, 64)});
  EXPECT_DOUBLE_EQ(metric(metrics, "samples_per_second"), 110.0);
  EXPECT_NEAR(metric(metrics, "samples_per_second_low"), 110 - 24.84138, 1e-4);
  EXPECT_NEAR(metric(metrics, "samples_per_second_high"), 110 + 24.84138, 1e-4);
  EXPECT_DOUBLE_EQ(metric(metrics, "memory"), 3e9);
  EXPECT_DOUBLE_EQ(metric(metrics, "step_time_max"), 3e9);
  EXPECT_DOUBLE_EQ(metric(metrics, "steps"), 184.0);
  EXPECT_DOUBLE_EQ(metric(metrics, "repeats"), 3.0);
}

TEST(Combine, one_start_has_no_interval) {
  EXPECT_EQ(find_metric(combine({repeat_with(100, 1, 1)}), "samples_per_second_low"), nullptr);
}

}  // namespace
}  // namespace feedrate
