// SPDX-License-Identifier: Apache-2.0
// The steps that are recorded, as in torch.profiler.schedule(). Pure; any thread.
#pragma once
#include <cstddef>
#include <cstdint>

namespace feedrate {

/// A cycle skips `wait` steps, runs `warmup` and records `active`. There are `repeat` cycles; 0:
/// until the end. The default records all steps.
struct ProfileSchedule {
  std::size_t wait = 0;
  std::size_t warmup = 0;
  std::size_t active = 1;
  std::size_t repeat = 0;

  /// Whether step `index`, counted from 0, is recorded. REQUIRES: active > 0
  [[nodiscard]] bool records(std::size_t index) const noexcept {
    const std::size_t cycle = wait + warmup + active;
    if (repeat != 0 && index / cycle >= repeat) return false;
    return index % cycle >= wait + warmup;
  }
};

}  // namespace feedrate
