#include "loaders/readiness.h"

namespace feedrate {

void ReadinessGauge::restart() {
  const std::lock_guard lock(mutex_);
  ready_ = 0;
  start_ = empty_since_ = clock_.now();
  empty_ = Nanos(0);
}

void ReadinessGauge::add() {
  const std::lock_guard lock(mutex_);
  if (ready_++ == 0) empty_ += clock_.now() - empty_since_;
}

void ReadinessGauge::remove() {
  const std::lock_guard lock(mutex_);
  if (--ready_ == 0) empty_since_ = clock_.now();
}

double ReadinessGauge::ratio() const {
  const std::lock_guard lock(mutex_);
  const Nanos now = clock_.now();
  const Nanos empty = empty_ + (ready_ == 0 ? now - empty_since_ : Nanos(0));
  return now == start_ ? 0.0 : 1.0 - to_seconds(empty) / to_seconds(now - start_);
}

}  // namespace feedrate
