// SPDX-License-Identifier: Apache-2.0
// Uses the ideal device, whose event times can be compared with the manual clock.
#include "bench/trainers/event_clock.h"

#include <gtest/gtest.h>

#include "tests/support/forwarding_device.h"
#include "tests/support/test_device.h"

namespace feedrate {
namespace {

using namespace std::chrono_literals;

// Returns times as CUDA does: a float of milliseconds.
class CoarseDevice final : public testing::ForwardingDevice {
 public:
  using ForwardingDevice::ForwardingDevice;
  Nanos elapsed(const DeviceEvent& from, const DeviceEvent& to) const override {
    const auto in_ms = static_cast<float>(to_seconds(ForwardingDevice::elapsed(from, to)) * 1e3);
    return from_seconds(static_cast<double>(in_ms) * 1e-3);
  }
};

// The device's clock is fast by 100 ppm.
class FastDevice final : public testing::ForwardingDevice {
 public:
  using ForwardingDevice::ForwardingDevice;
  Nanos elapsed(const DeviceEvent& from, const DeviceEvent& to) const override {
    return from_seconds(to_seconds(ForwardingDevice::elapsed(from, to)) * 1.0001);
  }
};

class EventClockTest : public ::testing::Test {
 protected:
  std::unique_ptr<DeviceEvent> after(Device& device, Nanos duration) {
    auto event = device.create_event();
    device.default_stream().burn(duration);
    device.default_stream().record(*event);
    event->synchronize();
    return event;
  }

  ManualClock clock_;
  std::unique_ptr<Device> device_ = testing::make_ideal_device(clock_);
};

TEST_F(EventClockTest, returns_the_hosts_time_of_an_event) {
  clock_.sleep_for(3s);
  const EventClock events(*device_);
  EXPECT_EQ(events.at(*after(*device_, 20ms)), 3020ms);
}

// Measured from the begin, the end of an hour would be wrong by up to 0.12 ms.
TEST_F(EventClockTest, is_exact_to_microseconds_after_an_hour) {
  CoarseDevice device(*device_);
  EventClock events(device);
  Nanos worst{};
  for (int i = 0; clock_.now() < 1h; ++i) {
    auto event = after(device, 700ms + i * 37 % 101 * 1ms + i * 1us);
    worst = std::max(worst, std::chrono::abs(events.at(*event) - clock_.now()));
    events.advance(event);
  }
  EXPECT_LT(worst, 15us);
}

TEST_F(EventClockTest, advance_exchanges_the_reference_event) {
  EventClock events(*device_);
  auto early = after(*device_, 500ms);
  const DeviceEvent* const kept = early.get();
  events.advance(early);
  EXPECT_EQ(early.get(), kept);  // The reference is still recent.
  auto late = after(*device_, 600ms);
  const DeviceEvent* const taken = late.get();
  events.advance(late);
  EXPECT_NE(late.get(), taken);
  EXPECT_NE(late, nullptr);
}

TEST_F(EventClockTest, resynchronizing_corrects_the_drift) {
  FastDevice device(*device_);
  EventClock events(device);
  const auto middle = after(device, 50s);
  const Nanos by_device = events.at(*middle);
  EXPECT_EQ(by_device, 50s + 5ms);
  static_cast<void>(after(device, 50s));
  const EventClock::Correction correct = events.resynchronize();
  EXPECT_LT(std::chrono::abs(correct(by_device) - 50s), 1us);
  EXPECT_EQ(events.at(*after(device, 0s)), 100s);
}

TEST_F(EventClockTest, a_short_time_is_not_corrected) {
  FastDevice device(*device_);
  EventClock events(device);
  const Nanos by_device = events.at(*after(device, 1s));
  EXPECT_EQ(events.resynchronize()(by_device), by_device);
}

}  // namespace
}  // namespace feedrate
