// SPDX-License-Identifier: Apache-2.0
// Measures the time of one stage of loading.
#pragma once
#include <chrono>

#include "core/units.h"

namespace feedrate {

/// Adds its lifetime to `total`, also on exceptions. `total` must outlive it. One thread.
class StageTimer {
 public:
  explicit StageTimer(Nanos& total) noexcept : total_(total) {}
  StageTimer(const StageTimer&) = delete;
  StageTimer& operator=(const StageTimer&) = delete;
  ~StageTimer() { total_ += std::chrono::steady_clock::now() - start_; }

 private:
  Nanos& total_;
  const std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

}  // namespace feedrate
