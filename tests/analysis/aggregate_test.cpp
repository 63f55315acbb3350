// SPDX-License-Identifier: Apache-2.0
#include "analysis/aggregate.h"

#include <cmath>

#include <gtest/gtest.h>

namespace feedrate {
namespace {

double figure(const std::vector<Metric>& metrics, const char* tag) {
  const double* value = find_metric(metrics, tag);
  return value ? *value : std::nan("");
}

TEST(JobTime, is_that_of_one_epoch) {
  Repeat repeat;
  repeat.metrics = {{"first_batch_time_cold", 2.0}, {"step_time", 0.5}, {"epoch_end_time", 1.0}};
  add_job_time(repeat);
  EXPECT_EQ(find_metric(repeat.metrics, "job_time"), nullptr);
  repeat.metrics.push_back({"batches_per_epoch", 10.0});
  add_job_time(repeat);
  EXPECT_DOUBLE_EQ(figure(repeat.metrics, "job_time"), 8.0);
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
  EXPECT_DOUBLE_EQ(figure(metrics, "samples_per_second"), 110.0);
  EXPECT_NEAR(figure(metrics, "samples_per_second_low"), 110 - 24.84138, 1e-4);
  EXPECT_NEAR(figure(metrics, "samples_per_second_high"), 110 + 24.84138, 1e-4);
  EXPECT_DOUBLE_EQ(figure(metrics, "memory"), 3e9);
  EXPECT_DOUBLE_EQ(figure(metrics, "step_time_max"), 3e9);
  EXPECT_DOUBLE_EQ(figure(metrics, "steps"), 184.0);
  EXPECT_DOUBLE_EQ(figure(metrics, "repeats"), 3.0);
}

TEST(Combine, one_start_has_no_interval) {
  EXPECT_EQ(find_metric(combine({repeat_with(100, 1, 1)}), "samples_per_second_low"), nullptr);
}

TEST(AuVerdict, is_pass_from_the_threshold_on) {
  for (const auto& [au, verdict] :
       {std::pair{0.9, 1.0}, std::pair{0.95, 1.0}, std::pair{0.8999, 0.0}}) {
    std::vector<Metric> metrics{{"au", au}};
    add_au_verdict(metrics, 0.9);
    EXPECT_EQ(figure(metrics, "au_verdict"), verdict) << au;
  }
}

TEST(AuVerdict, needs_an_au) {
  std::vector<Metric> metrics{{"samples_per_second", 5.0}};
  add_au_verdict(metrics, 0.9);
  EXPECT_EQ(find_metric(metrics, "au_verdict"), nullptr);
}

}  // namespace
}  // namespace feedrate
