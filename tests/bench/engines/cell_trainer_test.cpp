// SPDX-License-Identifier: Apache-2.0
#include "bench/engines/cell_trainer.h"

#include <gtest/gtest.h>

#include "bench/plan/cell_protocol.h"
#include "device/open.h"
#include "loaders/decode/to_tensor.h"
#include "tests/support/test_device.h"

namespace feedrate {
namespace {

using std::chrono::milliseconds;

constexpr std::size_t kSampleBytes = 3 * 1000;

class NoRecords final : public Dataset {
 public:
  std::uint64_t size() const noexcept override { return 10; }
  std::size_t sample_bytes() const noexcept override { return kSampleBytes; }
  std::unique_ptr<Fetcher> open_fetcher() const override { return nullptr; }
};

CellSpec cell_of_four() {
  CellSpec cell;
  cell.loader.batch_size = 4;
  return cell;
}

TEST(WirePipeline, is_the_pipeline_by_default) {
  const PipelineSpec pipeline{{}, SampleDtype::kFloat32, Normalize{}};
  EXPECT_EQ(wire_pipeline(pipeline, {}).dtype, SampleDtype::kFloat32);
  EXPECT_TRUE(wire_pipeline(pipeline, {}).normalize);
}

TEST(WirePipeline, decodes_as_the_cell_asks) {
  CellSpec cell;
  cell.decoding = Decoding::kScaled;
  EXPECT_EQ(wire_pipeline({}, cell).decoding, Decoding::kScaled);
}

TEST(WirePipeline, makes_normalised_halves) {
  CellSpec cell;
  cell.wire = SampleDtype::kFloat16;
  const PipelineSpec made = wire_pipeline({{}, SampleDtype::kFloat32, Normalize{}}, cell);
  EXPECT_EQ(made.dtype, SampleDtype::kFloat16);
  EXPECT_TRUE(made.normalize);
}

TEST(WirePipeline, leaves_the_image_to_the_device_that_normalises) {
  CellSpec cell;
  cell.wire = SampleDtype::kUint8;
  cell.normalize_on_gpu = true;
  const PipelineSpec made = wire_pipeline({{}, SampleDtype::kFloat32, Normalize{}}, cell);
  EXPECT_EQ(made.dtype, SampleDtype::kPixels);
  EXPECT_FALSE(made.normalize);
}

TEST(WirePipeline, pads_as_the_cell_asks) {
  PipelineSpec pipeline;
  pipeline.tokens = TokenSequences{.max_length = 10};
  CellSpec cell;
  cell.padding = Padding::kMaxLength;
  EXPECT_EQ(wire_pipeline(pipeline, cell).tokens->padding, Padding::kMaxLength);
}

TEST(WirePipeline, does_not_sample_points_again) {
  PipelineSpec pipeline;
  pipeline.sample_points = 5;
  CellSpec cell;
  EXPECT_EQ(wire_pipeline(pipeline, cell).sample_points, 5U);
  cell.presampled = true;
  EXPECT_FALSE(wire_pipeline(pipeline, cell).sample_points);
  EXPECT_EQ(wire_pipeline(pipeline, cell).resize_bytes, 60U);
}

TEST(WorkUnits, are_samples_or_the_tokens_of_sequences) {
  PipelineSpec pipeline;
  EXPECT_EQ(work_units(pipeline).per_sample, 1U);
  EXPECT_EQ(work_units(pipeline).bytes, 0U);
  pipeline.tokens = TokenSequences{.max_length = 10};
  EXPECT_EQ(work_units(pipeline).per_sample, 10U);
  EXPECT_EQ(work_units(pipeline).bytes, 4U);
}

class CellTrainerTest : public ::testing::Test {
 protected:
  Batch batch() {
    Batch made;
    made.buffer = std::make_shared<OwnedMemory>(
        device_->allocate_host(4 * kSampleBytes, HostMemory::kPageable));
    made.bytes_used = 4 * kSampleBytes;
    made.labels.resize(4);
    return made;
  }

  static SimulatedDeviceSpec spec() {
    SimulatedDeviceSpec spec = testing::ideal_device_spec();
    spec.peak_flops.fp32 = 1e12;
    spec.memory_rate = 1e6;  // One byte per microsecond.
    spec.efficiency = 1.0;
    return spec;
  }

  Nanos compute_time(const CellSpec& cell, const PipelineSpec& pipeline = {}) {
    const auto made = make_cell_trainer(cell, pipeline, NoRecords{}, *device_);
    static_cast<void>(made->step(batch()));
    const DeviceSpans span = made->finish().front();
    return span.compute_end - span.compute_begin;
  }

  ManualClock clock_;
  std::unique_ptr<Device> device_ = make_simulated_device(spec(), clock_);
};

TEST_F(CellTrainerTest, burns_replays_or_discards) {
  CellSpec burn = cell_of_four();
  burn.burn = BurnSpec{milliseconds(8), 8};
  EXPECT_EQ(compute_time(burn), milliseconds(4));
  CellSpec trace = cell_of_four();
  trace.trace = TraceSpec{{milliseconds(3)}, 4};
  EXPECT_EQ(compute_time(trace), milliseconds(3));
  const auto discard = make_cell_trainer(cell_of_four(), {}, NoRecords{}, *device_);
  EXPECT_TRUE(discard->finish().empty());
}

// The batch holds 3000 tokens, three quarters of 4 sequences of 1000.
TEST_F(CellTrainerTest, steps_of_sequences_take_their_time_by_what_was_padded) {
  PipelineSpec pipeline;
  pipeline.tokens = TokenSequences{.max_length = 1000};
  CellSpec cell = cell_of_four();
  cell.burn = BurnSpec{milliseconds(8), 8};
  EXPECT_EQ(compute_time(cell, pipeline), milliseconds(3));
}

TEST_F(CellTrainerTest, normalises_12000_values_of_five_bytes_before_the_step) {
  CellSpec cell = cell_of_four();
  cell.burn = BurnSpec{milliseconds(8), 8};
  cell.normalize_on_gpu = true;
  EXPECT_EQ(compute_time(cell), milliseconds(60 + 4));
}

TEST_F(CellTrainerTest, counts_the_flops_of_the_batch_that_it_computed) {
  CellSpec cell = cell_of_four();
  cell.gemms = ModelStep{parse_gemms("10x20x30*2"), 8, Precision::kFp32};
  const auto made = make_cell_trainer(cell, {}, NoRecords{}, *device_);
  Batch half = batch();
  half.labels.resize(2);
  static_cast<void>(made->step(batch()));
  static_cast<void>(made->step(std::move(half)));
  const std::vector<DeviceSpans> spans = made->finish();
  EXPECT_EQ(spans.at(0).flops, 2.0 * 10 * 10 * 30 * 2);
  EXPECT_EQ(spans.at(1).flops, spans.at(0).flops / 2);
}

TEST(CellEstimate, counts_what_crosses_to_the_device) {
  CellSpec cell = cell_of_four();
  const std::size_t floats = estimate(cell, {}, 400).batch_bytes;
  EXPECT_EQ(floats, 4 * 400U);
  cell.wire = SampleDtype::kFloat16;
  EXPECT_EQ(estimate(cell, {}, 400).batch_bytes, floats / 2);
  cell.wire = SampleDtype::kUint8;
  cell.normalize_on_gpu = true;
  EXPECT_EQ(estimate(cell, {}, 400).batch_bytes, floats / 4);
}

TEST(CellEstimate, takes_the_mean_step_of_a_trace) {
  CellSpec cell = cell_of_four();
  cell.trace = TraceSpec{{milliseconds(10), milliseconds(30)}, 2};
  MeasureConfig measure;
  measure.repeats = {1, 1};
  const std::size_t steps = protocol_of(cell, measure).total_steps();
  EXPECT_DOUBLE_EQ(estimate(cell, measure, 0).seconds_at_least.value(),
                   0.04 * static_cast<double>(steps));
}

// 4 samples are n = 16384: 2 * 8192 * 16384 * 8192 operations at the rate that the preset reaches.
TEST(CellEstimate, asks_a_simulated_device_for_matrix_products) {
  CellSpec cell = cell_of_four();
  cell.gemms = ModelStep{parse_gemms("8192x32768x8192"), 8, Precision::kFp32};
  cell.device = "sim:a100-pcie4";
  MeasureConfig measure;
  measure.repeats = {2, 2};
  const auto steps = static_cast<double>(2 * protocol_of(cell, measure).total_steps());
  ManualClock clock;
  const double rate = measure_gemm_peak(*open_device(cell.device, clock), Precision::kFp32);
  const double operations = 2.0 * 8192 * 16384 * 8192;
  EXPECT_NEAR(estimate(cell, measure, 0).seconds_at_least.value() / steps, operations / rate,
              0.01 * operations / rate);
}

}  // namespace
}  // namespace feedrate
