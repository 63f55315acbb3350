// SPDX-License-Identifier: Apache-2.0
#include "bench/trainers/step_work.h"

#include <gtest/gtest.h>

#include "core/error.h"
#include "tests/support/test_device.h"

namespace feedrate {
namespace {

using std::chrono::microseconds;
using std::chrono::milliseconds;

// 10¹² operations per second, and memory that is never the limit.
SimulatedDeviceSpec fast_spec() {
  SimulatedDeviceSpec spec = testing::ideal_device_spec();
  spec.peak_flops = {.fp32 = 1e12, .tf32 = 0, .bf16 = 2e12, .fp16 = 0};
  spec.memory_rate = 1e18;
  spec.efficiency = 1.0;
  return spec;
}

std::vector<StepGemm> two_gflops() { return parse_gemms("1000x1000x1000"); }

class StepWorkTest : public ::testing::Test {
 protected:
  Nanos duration_of(StepWork& work, std::size_t samples, Device& device) {
    device.synchronize();
    const Nanos start = clock_.now();
    work.launch(device.default_stream(), samples);
    device.synchronize();
    return clock_.now() - start;
  }
  Nanos duration_of(StepWork& work, std::size_t samples) {
    return duration_of(work, samples, *device_);
  }

  ManualClock clock_;
  std::unique_ptr<Device> device_ = make_simulated_device(fast_spec(), clock_);
};

TEST_F(StepWorkTest, a_burn_lasts_in_proportion_to_its_batch) {
  const auto work = make_burn_work(milliseconds(20), 8);
  EXPECT_EQ(duration_of(*work, 8), milliseconds(20));
  EXPECT_EQ(duration_of(*work, 2), milliseconds(5));
  EXPECT_EQ(work->flops(8), 0);
}

TEST_F(StepWorkTest, a_trace_repeats_the_durations_of_its_steps) {
  const auto work = make_trace_work({milliseconds(25), milliseconds(10)}, 4);
  EXPECT_EQ(duration_of(*work, 4), milliseconds(25));
  EXPECT_EQ(duration_of(*work, 2), milliseconds(5));
  EXPECT_EQ(duration_of(*work, 4), milliseconds(25));
}

TEST_F(StepWorkTest, products_grow_with_the_batch) {
  const auto work = make_gemm_work(*device_, {two_gflops(), 8, Precision::kFp32});
  EXPECT_EQ(duration_of(*work, 8), milliseconds(2));
  EXPECT_EQ(duration_of(*work, 4), milliseconds(1));
  EXPECT_EQ(work->flops(8), 2e9);
  EXPECT_EQ(work->flops(4), 1e9);
}

TEST_F(StepWorkTest, products_take_the_time_of_their_arithmetic) {
  const auto work = make_gemm_work(*device_, {two_gflops(), 8, Precision::kBf16});
  EXPECT_EQ(duration_of(*work, 8), milliseconds(1));
}

TEST_F(StepWorkTest, a_missing_precision_is_refused_by_prepare) {
  const auto work = make_gemm_work(*device_, {two_gflops(), 8, Precision::kTf32});
  EXPECT_THROW(work->prepare(8), DeviceError);
}

TEST_F(StepWorkTest, a_graph_is_one_launch_for_all_products) {
  SimulatedDeviceSpec spec = fast_spec();
  spec.launch_call = microseconds(500);
  const auto device = make_simulated_device(spec, clock_);
  const auto products = [&] {
    return make_gemm_work(*device,
                          {parse_gemms("100x500x1000*10"), 8, Precision::kFp32});  // 0.1 ms
  };
  EXPECT_EQ(duration_of(*products(), 8, *device), microseconds(10 * 500 + 100));
  const auto graph = make_graph_work(*device, products());
  graph->prepare(8);
  EXPECT_EQ(duration_of(*graph, 8, *device), microseconds(500 + 10 * 100));
  EXPECT_EQ(graph->flops(8), 1e9);
}

// A copy of 2·10⁹ values of 4 bytes takes 8 ms at 10¹² bytes per second.
TEST_F(StepWorkTest, passes_take_the_time_of_their_bytes_and_grow_with_the_batch) {
  SimulatedDeviceSpec spec = fast_spec();
  spec.memory_rate = 1e12;
  spec.memory_bytes = std::size_t{64} << 30;
  const auto device = make_simulated_device(spec, clock_);
  const auto time_of = [&](StepPass pass, std::size_t samples) {
    const auto work = make_gemm_work(*device, {{}, 1, Precision::kFp32, {pass}});
    return to_seconds(duration_of(*work, samples, *device));
  };
  const double once = time_of({.values = 1'000'000}, 2000);
  EXPECT_NEAR(once, 8e-3 / kPassEfficiency, 1e-6);
  EXPECT_NEAR(time_of({.values = 1'000'000, .count = 3}, 2000), 3 * once, 1e-6);
  EXPECT_NEAR(time_of({.values = 1'000'000}, 1000), once / 2, 1e-6);
  EXPECT_NEAR(time_of({.bytes = 8'000'000'000}, 7), once, 1e-6)
      << "weights do not depend on the batch";
}

// On a GPU, the first launch may allocate, which is forbidden during capture.
TEST_F(StepWorkTest, a_graph_is_captured_after_a_launch_outside_of_it) {
  class RecordingWork final : public StepWork {
   public:
    explicit RecordingWork(std::vector<const DeviceStream*>& launches) : launches_(launches) {}
    void prepare(std::size_t /*samples*/) override {}
    void launch(DeviceStream& stream, std::size_t /*samples*/) override {
      launches_.push_back(&stream);
    }

   private:
    std::vector<const DeviceStream*>& launches_;
  };
  std::vector<const DeviceStream*> launches;
  make_graph_work(*device_, std::make_unique<RecordingWork>(launches))->prepare(8);
  ASSERT_EQ(launches.size(), 2U);
  EXPECT_EQ(launches[0], &device_->default_stream());
  EXPECT_NE(launches[1], &device_->default_stream());
}

TEST_F(StepWorkTest, each_batch_size_has_its_own_graph) {
  const auto graph = make_graph_work(*device_, make_burn_work(milliseconds(20), 8));
  graph->prepare(8);
  graph->prepare(2);
  EXPECT_EQ(duration_of(*graph, 8), milliseconds(20));
  EXPECT_EQ(duration_of(*graph, 2), milliseconds(5));
}

TEST_F(StepWorkTest, the_measured_peak_equals_the_devices) {
  EXPECT_NEAR(measure_gemm_peak(*device_, Precision::kFp32), 1e12, 1e6);
  EXPECT_NEAR(measure_gemm_peak(*device_, Precision::kBf16), 2e12, 1e6);
}

TEST_F(StepWorkTest, a_peak_is_measured_for_as_long_as_asked) {
  const auto time_of = [&](Nanos duration) {
    const Nanos begin = clock_.now();
    static_cast<void>(measure_gemm_peak(*device_, Precision::kFp32, duration));
    return clock_.now() - begin;
  };
  EXPECT_GE(time_of(milliseconds(100 * 1'000)) - time_of(milliseconds(10 * 1'000)),
            milliseconds(80 * 1'000));
}

}  // namespace
}  // namespace feedrate
