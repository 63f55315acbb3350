// SPDX-License-Identifier: Apache-2.0
// Converts CUPTI's timestamps to the host's clock, for CUPTI versions that cannot use the host's
// clock. Pure, except for take_clock_pair(), which any thread may call.
#pragma once
#include <cstdint>
#include <optional>

#include "core/units.h"
#include "device/cuda/cupti_library.h"

namespace feedrate::cupti {

struct ClockPair {
  std::uint64_t cupti = 0;
  Nanos host{};
};

/// The pair read in the shortest time of several tries; none if CUPTI does not report its time.
[[nodiscard]] std::optional<ClockPair> take_clock_pair(const Api& api);

/// Interpolates linearly, because NTP adjusts the rate of CUPTI's default clock.
[[nodiscard]] Nanos to_host(std::uint64_t cupti, const ClockPair& first, const ClockPair& last);

}  // namespace feedrate::cupti
