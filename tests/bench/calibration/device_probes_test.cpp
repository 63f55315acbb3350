// SPDX-License-Identifier: Apache-2.0
// Calibrating a simulated device must find the costs of its preset.
#include "bench/calibration/device_probes.h"

#include <algorithm>

#include <gmock/gmock.h>

#include "bench/plan/device_preset.h"
#include "core/error.h"
#include "device/simulated/kernels.h"
#include "tests/support/forwarding_device.h"
#include "tests/support/message_of.h"
#include "tests/support/test_device.h"

namespace feedrate {
namespace {

using ::testing::HasSubstr;

DeviceCalibration calibrate(const SimulatedDeviceSpec& spec) {
  ManualClock clock;
  const auto device = make_simulated_device(spec, clock);
  return calibrate_device(*device, {.copy_bytes = std::size_t{32} << 20, .repeats = 1});
}

std::string value_of(const DeviceCalibration& calibration, const std::string& what) {
  const auto found = std::find_if(calibration.findings.begin(), calibration.findings.end(),
                                  [&](const DeviceFinding& each) { return each.what == what; });
  return found == calibration.findings.end() ? "not found" : found->value;
}

class MeasuredPreset : public ::testing::TestWithParam<std::size_t> {
 protected:
  const SimulatedDeviceSpec& spec_ = simulated_presets()[GetParam()];
};

TEST_P(MeasuredPreset, is_found_by_calibration) {
  const SimulatedDeviceSpec found = calibrate(spec_).spec;
  const auto expect_rate = [](double value, double expected) {
    EXPECT_NEAR(value / expected, 1.0, 1e-3);
  };
  expect_rate(found.h2d_rate, spec_.h2d_rate);
  expect_rate(found.d2h_rate, spec_.d2h_rate);
  expect_rate(found.pageable_rate, spec_.pageable_rate);
  expect_rate(found.pin_seconds_per_byte, spec_.pin_seconds_per_byte);
  expect_rate(found.memory_rate * found.efficiency, spec_.memory_rate * spec_.efficiency);
  for (const Precision precision : precisions()) {
    SCOPED_TRACE(to_string(precision));
    const double rate = peak_flops(spec_, precision) * spec_.efficiency;
    EXPECT_NEAR(peak_flops(found, precision) * found.efficiency, rate, 1e-3 * rate);
  }
  const auto expect_time = [](Nanos value, Nanos expected) {
    EXPECT_NEAR(static_cast<double>(value.count()), static_cast<double>(expected.count()), 20.0);
  };
  expect_time(found.copy_latency, spec_.copy_latency);
  expect_time(found.launch_latency, spec_.launch_latency);
  expect_time(found.copy_call, spec_.copy_call);
  expect_time(found.launch_call, spec_.launch_call);
  expect_time(found.event_call, spec_.event_call);
  expect_time(found.pin_base, spec_.pin_base);
  EXPECT_EQ(found.memory_bytes, spec_.memory_bytes);
  EXPECT_EQ(found.queue_depth, spec_.queue_depth);
}

TEST_P(MeasuredPreset, is_unchanged_by_writing_and_parsing) {
  const SimulatedDeviceSpec read = parse_device_preset(to_yaml(spec_), "preset.yaml");
  EXPECT_EQ(read.name, spec_.name);
  EXPECT_EQ(read.source, spec_.source);
  EXPECT_NEAR(read.h2d_rate, spec_.h2d_rate, 1e5);
  EXPECT_NEAR(read.pin_seconds_per_byte, spec_.pin_seconds_per_byte, 1e-13);
  EXPECT_NEAR(read.memory_rate, spec_.memory_rate, 1e5);
  EXPECT_NEAR(read.efficiency, spec_.efficiency, 1e-4);
  for (const Precision precision : precisions()) {
    EXPECT_NEAR(peak_flops(read, precision), peak_flops(spec_, precision), 1e8);
  }
  EXPECT_EQ(read.copy_latency, spec_.copy_latency);
  EXPECT_EQ(read.memory_bytes, spec_.memory_bytes);
  EXPECT_EQ(read.queue_depth, spec_.queue_depth);
  EXPECT_EQ(read.auto_spins, spec_.auto_spins);
}

INSTANTIATE_TEST_SUITE_P(All, MeasuredPreset,
                         ::testing::Range(std::size_t{0}, simulated_presets().size()),
                         [](const auto& each) {
                           std::string name = simulated_presets()[each.param].name;
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

TEST(DeviceFindings, a_pageable_copy_waits_for_its_stream_and_a_pinned_one_does_not) {
  const DeviceCalibration found = calibrate(find_simulated_preset("a100-pcie4"));
  EXPECT_THAT(value_of(found,
                       "call of a pageable copy of 1 MiB queued after a 20 ms kernel on the same "
                       "stream returns after"),
              HasSubstr("20."));
  EXPECT_EQ(value_of(found,
                     "call of a pinned copy of 1 MiB queued after a 20 ms kernel on the same "
                     "stream returns after"),
            "4.00 µs");
}

TEST(DeviceFindings, a_copy_overlaps_a_kernel_but_not_a_copy_of_its_direction) {
  const DeviceCalibration found = calibrate(testing::ideal_device_spec());
  EXPECT_EQ(value_of(found, "copy overlapped by a kernel on another stream"), "100 %");
  EXPECT_EQ(value_of(found, "copy overlapped by another copy to the device"), "0 %");
}

TEST(DeviceFindings, a_precision_without_a_rate_has_a_reason) {
  const DeviceCalibration found = calibrate(find_simulated_preset("v100-pcie3"));
  EXPECT_EQ(peak_flops(found.spec, Precision::kBf16), 0);
  EXPECT_THAT(value_of(found, "products in bf16: not measured"),
              HasSubstr("not supported by this GPU"));
  EXPECT_EQ(value_of(found, "products in fp16: not measured"), "not found");
}

TEST(DeviceFindings, a_short_burn_is_exact_if_the_timer_is) {
  const DeviceCalibration found = calibrate(find_simulated_preset("a100-pcie4"));
  EXPECT_EQ(value_of(found, "burn of 200 µs lasts"), "200.0 µs, of nine 200.0 to 200.0 µs");
}

TEST(DeviceFindings, the_peak_of_10_ms_is_reported_with_that_of_the_preset) {
  const DeviceCalibration found = calibrate(find_simulated_preset("v100-pcie3"));
  EXPECT_THAT(value_of(found, "products in fp16 for 10 ms"),
              HasSubstr("TFLOP/s; for 100 ms, as in the preset, "));
  EXPECT_EQ(value_of(found, "products in bf16 for 10 ms"), "not found");
}

// Needs a real clock, on which spinning takes CPU time.
TEST(DeviceCalibration, detects_whether_waiting_keeps_a_core_busy) {
  for (const bool spins : {false, true}) {
    SimulatedDeviceSpec spec = testing::ideal_device_spec();
    spec.auto_spins = spins;
    SteadyClock clock;
    const auto device = make_simulated_device(spec, clock);
    EXPECT_EQ(calibrate_device(*device, {.copy_bytes = std::size_t{2} << 20, .repeats = 1})
                  .spec.auto_spins,
              spins);
  }
}

TEST(DevicePreset, of_a_calibrated_device_has_its_step_times) {
  const SimulatedDeviceSpec& spec = find_simulated_preset("a100-pcie4");
  const SimulatedDeviceSpec read =
      parse_device_preset(to_yaml(calibrate(spec).spec), "preset.yaml");
  for (const Gemm& gemm : {Gemm{4096, 4096, 4096}, Gemm{1, 4096, 4096}}) {  // arithmetic, memory
    EXPECT_NEAR(to_seconds(gemm_time(read, gemm, Precision::kBf16)) /
                    to_seconds(gemm_time(spec, gemm, Precision::kBf16)),
                1.0, 1e-3);
  }
}

std::string preset_without(const std::string& key) {
  std::string text = to_yaml(find_simulated_preset("h200"));
  const std::size_t line = text.find(key);
  return text.erase(line, text.find('\n', line) + 1 - line);
}

TEST(DevicePreset, reports_a_missing_figure) {
  for (const std::string key : {"d2h_gb_per_s", "bf16_tflop_per_s"}) {
    EXPECT_THAT(testing::message_of<ConfigError>(
                    [&] { return parse_device_preset(preset_without(key), "mine.yaml"); }),
                AllOf(HasSubstr("mine.yaml"), HasSubstr("lacks " + key)));
  }
}

TEST(DevicePreset, without_fp8_has_a_rate_of_zero) {
  EXPECT_EQ(parse_device_preset(preset_without("fp8_tflop_per_s"), "mine.yaml").peak_flops.fp8, 0);
}

TEST(DeviceCalibration, measures_the_rate_of_nvjpeg_or_reports_why_not) {
  const SimulatedDeviceSpec& spec = find_simulated_preset("a100-pcie4");
  const DeviceCalibration found = calibrate(spec);
  // A file is copied before it is decoded, while the previous one is being decoded.
  EXPECT_NEAR(found.spec.jpeg_rate / spec.jpeg_rate, 1.0, 0.05);
  EXPECT_EQ(value_of(found, "nvJPEG: not measured"), "not found");
  EXPECT_EQ(value_of(found, "nvJPEG"), "simulated");
  const DeviceCalibration none = calibrate(find_simulated_preset("v100-pcie3"));
  EXPECT_EQ(none.spec.jpeg_rate, 0);
  EXPECT_THAT(value_of(none, "nvJPEG: not measured"), HasSubstr("no nvJPEG rate"));
}

class RefusingDecoder final : public JpegDecoder {
 public:
  [[nodiscard]] const std::string& name() const noexcept override { return name_; }
  void decode(DeviceStream& /*stream*/, const DeviceBuffer& /*target*/,
              std::span<const EncodedImage> /*images*/) override {
    throw FormatError("status 4");
  }

 private:
  const std::string name_ = "refusing";
};

class RefusingDevice final : public testing::ForwardingDevice {
 public:
  using ForwardingDevice::ForwardingDevice;
  std::unique_ptr<JpegDecoder> open_jpeg_decoder() override {
    return std::make_unique<RefusingDecoder>();
  }
};

TEST(DeviceCalibration, continues_if_the_decoder_refuses_the_file) {
  ManualClock clock;
  const auto device = testing::make_ideal_device(clock);
  RefusingDevice refusing(*device);
  const DeviceCalibration found =
      calibrate_device(refusing, {.copy_bytes = std::size_t{32} << 20, .repeats = 1});
  EXPECT_EQ(found.spec.jpeg_rate, 0);
  EXPECT_EQ(value_of(found, "nvJPEG: not measured"), "status 4");
}

TEST(DevicePreset, keeps_the_rate_of_nvjpeg) {
  const SimulatedDeviceSpec& spec = find_simulated_preset("a100-pcie4");
  EXPECT_NEAR(parse_device_preset(to_yaml(spec), "mine.yaml").jpeg_rate / spec.jpeg_rate, 1.0,
              1e-6);
}

TEST(DevicePreset, without_a_decoder_has_a_rate_of_zero) {
  EXPECT_EQ(parse_device_preset(preset_without("jpeg_mpixel_per_s"), "mine.yaml").jpeg_rate, 0);
}

TEST(DevicePreset, a_rate_of_zero_is_refused) {
  std::string text = to_yaml(find_simulated_preset("h200"));
  const std::size_t line = text.find("h2d_gb_per_s: ");
  text.replace(line, text.find(' ', line + 15) - line, "h2d_gb_per_s: 0");
  EXPECT_THROW(static_cast<void>(parse_device_preset(text, "mine.yaml")), ConfigError);
}

}  // namespace
}  // namespace feedrate
