// How much of the time at least one batch was ready.
#pragma once
#include <cstddef>
#include <mutex>

#include "core/clock.h"

namespace feedrate {

/// Safe for concurrent use: workers add, the consumer removes.
class ReadinessGauge {
 public:
  explicit ReadinessGauge(const Clock& clock) : clock_(clock) {}

  /// Starts a new window with nothing ready.
  void restart();
  void add();
  void remove();
  /// 1 - (time with nothing ready) / (time since restart()).
  [[nodiscard]] double ratio() const;

 private:
  const Clock& clock_;
  mutable std::mutex mutex_;
  // Guarded by mutex_.
  std::size_t ready_ = 0;
  Nanos start_{};
  Nanos empty_since_{};
  Nanos empty_{};
};

}  // namespace feedrate
