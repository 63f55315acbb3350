// SPDX-License-Identifier: Apache-2.0
#include "device/cuda/cuda_device.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/clock.h"
#include "core/error.h"

namespace feedrate {
namespace {

using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

TEST(CudaDevice, the_probe_finds_devices_or_reports_why_not) {
  const CudaStatus status = probe_cuda();
  EXPECT_EQ(status.devices > 0, status.problem.empty());
  EXPECT_GE(status.devices, 0);
}

TEST(CudaDevice, the_probe_is_repeatable) { EXPECT_EQ(probe_cuda().problem, probe_cuda().problem); }

TEST(CudaDevice, opening_without_a_device_reports_the_probes_reason) {
  const CudaStatus status = probe_cuda();
  if (status.devices > 0) GTEST_SKIP() << "this machine has a CUDA device";
  SteadyClock clock;
  EXPECT_THAT([&] { static_cast<void>(make_cuda_device(0, clock)); },
              ThrowsMessage<DeviceError>(HasSubstr("cuda:0: " + status.problem)));
}

TEST(CudaDevice, a_manual_clock_is_refused) {
  ManualClock clock;
  EXPECT_THROW(static_cast<void>(make_cuda_device(0, clock)), Error);
}

TEST(CudaDevice, can_be_opened_again_once_its_context_has_ended) {
  const CudaStatus status = probe_cuda();
  if (status.devices == 0) GTEST_SKIP() << status.problem;
  SteadyClock clock;
  for (int i = 0; i < 2; ++i) {
    const std::unique_ptr<Device> device = make_cuda_device(0, clock);
    device->default_stream().burn(std::chrono::milliseconds(1));
    device->synchronize();
  }
  end_cuda_context(0);
  const std::unique_ptr<Device> device = make_cuda_device(0, clock);
  device->default_stream().burn(std::chrono::milliseconds(1));
  device->synchronize();
}

TEST(CudaDevice, an_index_beyond_the_devices_is_refused) {
  SteadyClock clock;
  EXPECT_THROW(static_cast<void>(make_cuda_device(1000, clock)), DeviceError);
  EXPECT_THROW(static_cast<void>(make_cuda_device(-1, clock)), DeviceError);
}

}  // namespace
}  // namespace feedrate
