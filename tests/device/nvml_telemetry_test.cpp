// SPDX-License-Identifier: Apache-2.0
#include "device/nvml_telemetry.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace feedrate {
namespace {

using ::testing::DoubleEq;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Optional;

GpuReading reading_of(double sm_clock, double power, std::uint64_t throttle_bits) {
  GpuReading reading;
  reading.sm_clock = sm_clock;
  reading.memory_clock = 1.6e9;
  reading.power = power;
  reading.throttle_bits = throttle_bits;
  return reading;
}

TEST(GpuTelemetry, clocks_and_power_are_averaged_over_the_readings) {
  const GpuTelemetry telemetry = summarise({reading_of(1.0e9, 100, 0), reading_of(2.0e9, 300, 0)});
  EXPECT_EQ(telemetry.readings, 2U);
  EXPECT_THAT(telemetry.sm_clock_min, Optional(1.0e9));
  EXPECT_THAT(telemetry.sm_clock_mean, Optional(1.5e9));
  EXPECT_THAT(telemetry.memory_clock_mean, Optional(1.6e9));
  EXPECT_THAT(telemetry.power_mean, Optional(200.0));
  EXPECT_THAT(telemetry.power_max, Optional(300.0));
}

TEST(GpuTelemetry, utilization_is_the_mean_of_all_samples_of_all_readings) {
  GpuReading first;
  first.utilisation = {0.2};
  GpuReading second;
  second.utilisation = {0.6, 0.4};
  const GpuTelemetry telemetry = summarise({first, GpuReading{}, second});
  EXPECT_THAT(telemetry.utilisation_mean, Optional(DoubleEq(0.4)));
  EXPECT_THAT(telemetry.utilisation_max, Optional(0.6));
}

TEST(GpuTelemetry, the_best_link_counts_because_an_idle_gpu_lowers_it) {
  GpuReading idle;
  idle.link_generation = 1;
  idle.link_width = 16;
  GpuReading busy = idle;
  busy.link_generation = 4;
  const GpuTelemetry telemetry = summarise({idle, busy, idle});
  EXPECT_EQ(link_text(telemetry.link_generation_max, telemetry.link_width_max), "PCIe 4 x16");
  EXPECT_EQ(link_text(4, std::nullopt), "");
}

TEST(GpuTelemetry, the_largest_memory_use_counts) {
  GpuReading less;
  less.memory_used = 10;
  GpuReading more;
  more.memory_used = 30;
  EXPECT_THAT(summarise({less, more, less, GpuReading{}}).memory_used_max, Optional(30U));
}

TEST(GpuTelemetry, throttling_is_reported_as_a_share_of_readings_with_reasons) {
  const GpuTelemetry telemetry = summarise({reading_of(1e9, 1, 0x4), reading_of(1e9, 1, 0x4 | 0x40),
                                            reading_of(1e9, 1, 0), reading_of(1e9, 1, 0x1)});
  EXPECT_THAT(telemetry.throttled_share, Optional(0.5));
  EXPECT_THAT(telemetry.throttle_reasons, ElementsAre("power limit", "temperature (hardware)"));
}

TEST(GpuTelemetry, idling_and_clocks_that_the_user_chose_are_no_throttling) {
  EXPECT_THAT(throttle_words(0x1 | 0x2 | 0x100), IsEmpty());
  EXPECT_THAT(
      throttle_words(~std::uint64_t{0}),
      ElementsAre("power limit", "hardware slowdown", "sync boost with other GPUs",
                  "temperature (software)", "temperature (hardware)", "power brake of the server"));
}

TEST(GpuTelemetry, figures_that_were_never_read_are_empty) {
  const GpuTelemetry telemetry = summarise({GpuReading{}});
  EXPECT_EQ(telemetry.readings, 1U);
  EXPECT_FALSE(telemetry.utilisation_mean);
  EXPECT_FALSE(telemetry.utilisation_max);
  EXPECT_FALSE(telemetry.sm_clock_min);
  EXPECT_FALSE(telemetry.power_max);
  EXPECT_FALSE(telemetry.memory_used_max);
  EXPECT_FALSE(telemetry.throttled_share);
  EXPECT_FALSE(telemetry.link_generation_max);
  EXPECT_FALSE(telemetry.link_width_max);
}

}  // namespace
}  // namespace feedrate
