// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <memory>

#include <gtest/gtest.h>

#include "core/clock.h"
#include "tests/device/simulated/round_spec.h"

namespace feedrate {
namespace {

class RecordingClock final : public Clock {
 public:
  [[nodiscard]] Nanos now() const override { return now_; }
  void sleep_until(Nanos deadline) override { slept_ += advance(deadline); }
  void spin_until(Nanos deadline) override { spun_ += advance(deadline); }

  [[nodiscard]] Nanos slept() const noexcept { return slept_; }
  [[nodiscard]] Nanos spun() const noexcept { return spun_; }

 private:
  Nanos advance(Nanos deadline) {
    const Nanos before = now_;
    now_ = std::max(now_, deadline);
    return now_ - before;
  }
  Nanos now_{}, slept_{}, spun_{};
};

struct Waited {
  Nanos slept, spun;
  friend bool operator==(const Waited&, const Waited&) = default;
};

// Waits for an event, the stream and the device; nothing else takes time.
Waited wait_with(bool auto_spins) {
  SimulatedDeviceSpec spec = round_spec();
  spec.auto_spins = auto_spins;
  spec.launch_call = spec.launch_latency = spec.event_call = Nanos(0);
  RecordingClock clock;
  const auto device = make_simulated_device(spec, clock);
  DeviceStream& stream = device->default_stream();
  const auto event = device->create_event();
  stream.burn(Nanos(10'000));
  stream.record(*event);
  event->synchronize();
  stream.burn(Nanos(10'000));
  stream.synchronize();
  stream.burn(Nanos(10'000));
  device->synchronize();
  return {clock.slept(), clock.spun()};
}

TEST(SimulatedSync, sleeps_unless_the_preset_says_that_it_spins) {
  EXPECT_EQ(wait_with(false), (Waited{Nanos(30'000), Nanos(0)}));
  EXPECT_EQ(wait_with(true), (Waited{Nanos(0), Nanos(30'000)}));
}

}  // namespace
}  // namespace feedrate
