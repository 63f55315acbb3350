// SPDX-License-Identifier: Apache-2.0
// The words for memory and time that every layer shares.
#pragma once
#include <chrono>
#include <cstddef>
#include <span>

namespace feedrate {

using Bytes = std::span<const std::byte>;
using MutableBytes = std::span<std::byte>;
using Nanos = std::chrono::nanoseconds;

[[nodiscard]] constexpr double to_seconds(Nanos duration) noexcept {
  return std::chrono::duration<double>(duration).count();
}

[[nodiscard]] constexpr Nanos from_seconds(double seconds) noexcept {
  return std::chrono::round<Nanos>(std::chrono::duration<double>(seconds));
}

}  // namespace feedrate
