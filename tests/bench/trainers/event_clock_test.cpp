// SPDX-License-Identifier: Apache-2.0
// On the ideal device, whose events the manual clock can be held against.
#include "bench/trainers/event_clock.h"

#include <gtest/gtest.h>

#include "tests/support/forwarding_device.h"
#include "tests/support/test_device.h"

namespace feedrate {
namespace {

using namespace std::chrono_literals;

// Tells times as CUDA does: a float of in_ms.
class CoarseDevice final : public testing::ForwardingDevice {
 public:
  using ForwardingDevice::ForwardingDevice;
  Nanos elapsed(const DeviceEvent& from, const DeviceEvent& to) const override {
    const auto in_ms = static_cast<float>(to_seconds(ForwardingDevice::elapsed(from, to)) * 1e3);
    return from_seconds(static_cast<double>(in_ms) * 1e-3);
  }
};

// Its clock is fast by a ten-thousandth.
class FastDevice final : public testing::ForwardingDevice {
 public:
  using ForwardingDevice::ForwardingDevice;
  Nanos elapsed(const DeviceEvent& from, const DeviceEvent& to) const override {
    return from_seconds(to_seconds(ForwardingDevice::elapsed(from, to)) * 1.0001);
  }
};

class EventClockTest : public ::testing::Test {
 protected:
  // Something that ends after `duration`, and the event of it.
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

TEST_F(EventClockTest, tells_the_hosts_time_of_an_event) {
  clock_.sleep_for(3s);
  const EventClock events(*device_);
  EXPECT_EQ(events.at(*after(*device_, 20ms)), 3020ms);
}

// Told from its beginning, the end of an hour would be wrong by up to 0.12 ms.
TEST_F(EventClockTest, knows_microseconds_after_an_hour) {
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

TEST_F(EventClockTest, the_event_that_it_counts_on_from_is_exchanged_for_another) {
  EventClock events(*device_);
  auto early = after(*device_, 500ms);
  const DeviceEvent* const kept = early.get();
  events.advance(early);
  EXPECT_EQ(early.get(), kept);  // It is not worth it yet.
  auto late = after(*device_, 600ms);
  const DeviceEvent* const taken = late.get();
  events.advance(late);
  EXPECT_NE(late.get(), taken);
  EXPECT_NE(late, nullptr);
}

TEST_F(EventClockTest, a_second_tie_takes_the_drift_out) {
  FastDevice device(*device_);
  EventClock events(device);
  const auto middle = after(device, 50s);
  const Nanos told = events.at(*middle);
  EXPECT_EQ(told, 50s + 5ms);
  static_cast<void>(after(device, 50s));
  const EventClock::Correction correct = events.tie();
  EXPECT_LT(std::chrono::abs(correct(told) - 50s), 1us);
  EXPECT_EQ(events.at(*after(device, 0s)), 100s);
}

TEST_F(EventClockTest, a_short_time_is_not_corrected) {
  FastDevice device(*device_);
  EventClock events(device);
  const Nanos told = events.at(*after(device, 1s));
  EXPECT_EQ(events.tie()(told), told);
}

}  // namespace
}  // namespace feedrate
