// SPDX-License-Identifier: Apache-2.0
// A simulated device whose round figures make times easy to compute by hand.
#pragma once
#include "device/simulated/simulated_device.h"

namespace feedrate {

inline SimulatedDeviceSpec round_spec() {
  return {.name = "round",
          .source = "made up",
          .h2d_rate = 1e9,  // a byte per nanosecond
          .d2h_rate = 2e9,
          .pageable_rate = 0.5e9,
          .copy_latency = Nanos(10),
          .launch_latency = Nanos(5),
          .copy_call = Nanos(100),
          .launch_call = Nanos(50),
          .event_call = Nanos(20),
          .pin_base = Nanos(1000),
          .pin_seconds_per_byte = 1e-9,
          .memory_bytes = 1'000'000,
          .inline_bytes = 64,
          .stage_bytes = 100};
}

}  // namespace feedrate
