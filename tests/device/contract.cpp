// SPDX-License-Identifier: Apache-2.0
#include "tests/device/contract.h"

#include <cstdlib>
#include <cstring>

#include "device/cuda/cuda_device.h"
#include "device/open.h"
#include "device/simulated/simulated_device.h"
#include "tests/support/test_device.h"

namespace feedrate {
namespace {

std::unique_ptr<Device> make_moving_device(Clock& clock) {
  SimulatedDeviceSpec spec = find_simulated_preset("a100-pcie4");
  spec.move_bytes = true;
  spec.decode_jpeg = testing::decode_on_the_cpu;
  return make_simulated_device(spec, clock);
}

// FEEDRATE_TEST_GPU selects the GPU: "1" is cuda:1.
std::unique_ptr<Device> make_chosen_gpu(Clock& clock) {
  const char* const chosen = std::getenv("FEEDRATE_TEST_GPU");
  return make_cuda_device(chosen ? std::atoi(chosen) : 0, clock);
}

}  // namespace

std::vector<Backend> backends() {
  const auto always = [] { return std::string(); };
  const auto steady = [] { return std::make_unique<SteadyClock>(); };
  const auto manual = [] { return std::make_unique<ManualClock>(); };
  return {{"simulated_on_a_manual_clock", manual, make_moving_device, always},
          {"simulated_in_real_time", steady, make_moving_device, always},
          {"cuda", steady, make_chosen_gpu, why_no_cuda}};
}

void DeviceContract::SetUp() {
  const std::string why_not = GetParam().why_not();
  if (!why_not.empty()) GTEST_SKIP() << GetParam().name << ": " << why_not;
  clock_ = GetParam().make_clock();
  device_ = GetParam().make_device(*clock_);
}

HostBuffer DeviceContract::host(std::size_t size, HostMemory kind, int fill) {
  HostBuffer buffer = device_->allocate_host(size, kind);
  std::memset(buffer.bytes().data(), fill, size);
  return buffer;
}

std::unique_ptr<DeviceEvent> DeviceContract::recorded(DeviceStream& stream) {
  auto event = device_->create_event();
  stream.record(*event);
  return event;
}

void DeviceContract::expect_pending(const DeviceEvent& event, Nanos earliest) {
  const bool done = event.query();
  if (clock_->now() < earliest) {
    EXPECT_FALSE(done);
  }
}

INSTANTIATE_TEST_SUITE_P(all, DeviceContract, ::testing::ValuesIn(backends()),
                         [](const auto& instance) { return instance.param.name; });

}  // namespace feedrate
