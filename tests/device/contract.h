// SPDX-License-Identifier: Apache-2.0
// The contract that every Device fulfills, tested once over each of them by contract_*_test.cpp. On
// a device that runs in real time, a slow machine may see work finished that should be pending, so
// tests expect "not done yet" only while the clock proves it.
#pragma once
#include <cstddef>
#include <functional>
#include <memory>
#include <ostream>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "core/clock.h"
#include "device/device.h"

namespace feedrate {

inline constexpr std::size_t kKiB = 1024;
inline constexpr std::size_t kMiB = 1024 * kKiB;
inline constexpr Nanos kBurn = std::chrono::milliseconds(40);

struct Backend {
  std::string name;
  std::function<std::unique_ptr<Clock>()> make_clock;
  std::function<std::unique_ptr<Device>(Clock&)> make_device;
  std::function<std::string()> why_not;  ///< empty if the backend can run here
};

inline void PrintTo(const Backend& backend, std::ostream* out) { *out << backend.name; }

[[nodiscard]] std::vector<Backend> backends();

class DeviceContract : public ::testing::TestWithParam<Backend> {
 protected:
  void SetUp() override;

  [[nodiscard]] HostBuffer host(std::size_t size, HostMemory kind, int fill);
  [[nodiscard]] std::unique_ptr<DeviceEvent> recorded(DeviceStream& stream);
  /// Expects that `event` is pending, unless the clock has already passed `earliest`.
  void expect_pending(const DeviceEvent& event, Nanos earliest);

  std::unique_ptr<Clock> clock_;
  std::unique_ptr<Device> device_;
};

}  // namespace feedrate
