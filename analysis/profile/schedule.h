// SPDX-License-Identifier: Apache-2.0
// Which steps are recorded: torch.profiler.schedule(). Pure; any thread.
#pragma once
#include <cstddef>
#include <cstdint>

namespace feedrate {

/// Of the steps, `wait` are passed over and `warmup` run, then `active` are recorded; so `repeat`
/// times, 0: to the end. Records all steps unless told otherwise.
struct ProfileSchedule {
  std::size_t wait = 0;
  std::size_t warmup = 0;
  std::size_t active = 1;
  std::size_t repeat = 0;

  /// Of step `index`, from 0. REQUIRES: active > 0
  [[nodiscard]] bool records(std::size_t index) const noexcept {
    const std::size_t cycle = wait + warmup + active;
    if (repeat != 0 && index / cycle >= repeat) return false;
    return index % cycle >= wait + warmup;
  }
};

}  // namespace feedrate
