// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/clock.h"
#include "core/error.h"
#include "device/simulated/simulated_device.h"

namespace feedrate {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

TEST(Presets, are_found_by_name) {
  EXPECT_EQ(find_simulated_preset("a100-pcie4").h2d_rate, 25e9);
  EXPECT_EQ(find_simulated_preset("v100-pcie3").memory_bytes, 32'000'000'000U);
}

TEST(Presets, an_unknown_one_lists_all) {
  EXPECT_THAT([] { static_cast<void>(find_simulated_preset("a100")); },
              ThrowsMessage<ConfigError>(
                  AllOf(HasSubstr("a100"),
                        HasSubstr("sim:v100-pcie3, sim:a100-pcie4, sim:h100-pcie5, sim:h200"))));
}

TEST(Presets, each_makes_a_device_and_names_the_source_of_its_figures) {
  ManualClock clock;
  for (const SimulatedDeviceSpec& preset : simulated_presets()) {
    EXPECT_FALSE(preset.source.empty()) << preset.name;
    const auto device = make_simulated_device(preset, clock);
    EXPECT_EQ(device->info().name, "simulated: " + preset.name);
    EXPECT_EQ(device->info().memory_bytes, preset.memory_bytes);
    EXPECT_THAT(device->info().details, HasSubstr(preset.source));
  }
}

TEST(Presets, pageable_copies_are_slower_on_all) {
  for (const SimulatedDeviceSpec& preset : simulated_presets()) {
    EXPECT_LT(preset.pageable_rate, preset.h2d_rate) << preset.name;
    EXPECT_LT(preset.pageable_rate, preset.d2h_rate) << preset.name;
  }
}

TEST(Presets, the_h200_is_marked_as_not_measured) {
  EXPECT_THAT(find_simulated_preset("h200").source, HasSubstr("not measured yet"));
}

TEST(Presets, have_the_precisions_of_their_gpus) {
  const SimulatedDeviceSpec& volta = find_simulated_preset("v100-pcie3");
  EXPECT_THAT(why_no_precision(volta, Precision::kBf16),
              AllOf(HasSubstr("sim:v100-pcie3: precision bf16"), HasSubstr("fp32, fp16")));
  EXPECT_NE(why_no_precision(volta, Precision::kTf32), "");
  for (const SimulatedDeviceSpec& preset : simulated_presets()) {
    EXPECT_EQ(why_no_precision(preset, Precision::kFp32), "") << preset.name;
    EXPECT_GT(peak_flops(preset, Precision::kFp16), peak_flops(preset, Precision::kFp32));
  }
}

TEST(Presets, without_rates_of_matrix_products_say_so) {
  SimulatedDeviceSpec unknown = find_simulated_preset("a100-pcie4");
  unknown.peak_flops = {};
  EXPECT_THAT(why_no_precision(unknown, Precision::kFp32),
              HasSubstr("the preset has no rate for matrix products"));
}

TEST(Spec, an_impossible_one_is_refused) {
  ManualClock clock;
  const auto refused = [&](auto change) {
    SimulatedDeviceSpec spec = find_simulated_preset("a100-pcie4");
    change(spec);
    EXPECT_THROW(static_cast<void>(make_simulated_device(spec, clock)), ConfigError);
  };
  refused([](SimulatedDeviceSpec& spec) { spec.h2d_rate = 0; });
  refused([](SimulatedDeviceSpec& spec) { spec.d2h_rate = -1; });
  refused([](SimulatedDeviceSpec& spec) { spec.pageable_rate = 0; });
  refused([](SimulatedDeviceSpec& spec) { spec.stage_bytes = 0; });
  refused([](SimulatedDeviceSpec& spec) { spec.queue_depth = 0; });
  refused([](SimulatedDeviceSpec& spec) { spec.memory_rate = 0; });
  refused([](SimulatedDeviceSpec& spec) { spec.efficiency = 0; });
}

}  // namespace
}  // namespace feedrate
