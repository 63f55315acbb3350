// SPDX-License-Identifier: Apache-2.0
// CUPTI's clock on the host's, for a CUPTI that cannot be given the host's. Pure but for
// take_clock_pair(), which any thread may call.
#pragma once
#include <cstdint>
#include <optional>

#include "core/units.h"
#include "device/cuda/cupti_library.h"

namespace feedrate::cupti {

/// One moment on both clocks.
struct ClockPair {
  std::uint64_t cupti = 0;
  Nanos host{};
};

/// As close as some tries come; none where CUPTI does not tell its time.
[[nodiscard]] std::optional<ClockPair> take_clock_pair(const Api& api);

/// On the line through two moments: CUPTI's default clock is the system's, whose length of a second
/// is steered by NTP.
[[nodiscard]] Nanos to_host(std::uint64_t cupti, const ClockPair& first, const ClockPair& last);

}  // namespace feedrate::cupti
