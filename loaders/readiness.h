// SPDX-License-Identifier: Apache-2.0
// Measures the share of time in which the next batch was ready.
#pragma once
#include "core/clock.h"

namespace feedrate {

/// Used by one thread, the consumer. The window ends when the last batch was taken: the state of
/// the next batch is unknown until the consumer asks for it.
class ReadinessGauge {
 public:
  explicit ReadinessGauge(const Clock& clock) : clock_(clock) {}

  void start_window();
  /// Records that the consumer takes a batch now, which was ready since `completed`.
  void take(Nanos completed);
  /// 1 - (time in which the next batch was not ready) / window.
  [[nodiscard]] double ratio() const;

 private:
  const Clock& clock_;
  Nanos start_{};
  Nanos last_take_{};  // The next batch is due since this time.
  Nanos not_ready_{};
};

}  // namespace feedrate
