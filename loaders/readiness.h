// How much of the time the batch that is due was ready.
#pragma once
#include <cstdint>
#include <mutex>
#include <set>

#include "core/clock.h"

namespace feedrate {

/// Safe for concurrent use: workers add, the consumer takes. In order, a batch that came early is
/// not ready before those in front of it are.
class ReadinessGauge {
 public:
  ReadinessGauge(const Clock& clock, bool in_order) : clock_(clock), in_order_(in_order) {}

  /// Starts an epoch: nothing is here, number 0 is due.
  void start_epoch();
  /// Starts a new window with what is here.
  void start_window();
  void add(std::uint64_t sequence);
  void take(std::uint64_t sequence);
  /// 1 - (time with nothing ready) / (time since the window began).
  [[nodiscard]] double ratio() const;

 private:
  // REQUIRES: mutex_ is held, for both.
  [[nodiscard]] bool is_ready() const;
  void change(bool was_ready);

  const Clock& clock_;
  const bool in_order_;
  mutable std::mutex mutex_;
  // Guarded by mutex_.
  std::set<std::uint64_t> here_;
  std::uint64_t due_ = 0;
  Nanos start_{};
  Nanos not_ready_since_{};
  Nanos not_ready_{};
};

}  // namespace feedrate
