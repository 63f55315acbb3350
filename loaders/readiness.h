// SPDX-License-Identifier: Apache-2.0
// How much of the time the batch that is due was ready.
#pragma once
#include "core/clock.h"

namespace feedrate {

/// One thread, the consumer's. The window ends where the last batch was taken: whether the next one
/// is ready by now is not known before it is asked for.
class ReadinessGauge {
 public:
  explicit ReadinessGauge(const Clock& clock) : clock_(clock) {}

  void start_window();
  /// The batch that was due is taken, now; it could be had from `completed` on.
  void take(Nanos completed);
  /// 1 - (time in which the batch that was due was not ready) / window.
  [[nodiscard]] double ratio() const;

 private:
  const Clock& clock_;
  Nanos start_{};
  Nanos last_take_{};  // Since then the next batch is due.
  Nanos not_ready_{};
};

}  // namespace feedrate
