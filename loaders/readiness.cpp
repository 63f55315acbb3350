#include "loaders/readiness.h"

namespace feedrate {

void ReadinessGauge::start_epoch() {
  {
    const std::lock_guard lock(mutex_);
    here_.clear();
    due_ = 0;
  }
  start_window();
}

void ReadinessGauge::start_window() {
  const std::lock_guard lock(mutex_);
  start_ = not_ready_since_ = clock_.now();
  not_ready_ = Nanos(0);
}

void ReadinessGauge::add(std::uint64_t sequence) {
  const std::lock_guard lock(mutex_);
  const bool was_ready = is_ready();
  here_.insert(sequence);
  change(was_ready);
}

void ReadinessGauge::take(std::uint64_t sequence) {
  const std::lock_guard lock(mutex_);
  const bool was_ready = is_ready();
  here_.erase(sequence);
  ++due_;
  change(was_ready);
}

double ReadinessGauge::ratio() const {
  const std::lock_guard lock(mutex_);
  const Nanos now = clock_.now();
  const Nanos not_ready = not_ready_ + (is_ready() ? Nanos(0) : now - not_ready_since_);
  return now == start_ ? 0.0 : 1.0 - to_seconds(not_ready) / to_seconds(now - start_);
}

bool ReadinessGauge::is_ready() const { return in_order_ ? here_.contains(due_) : !here_.empty(); }

void ReadinessGauge::change(bool was_ready) {
  if (was_ready == is_ready()) return;
  if (was_ready) {
    not_ready_since_ = clock_.now();
  } else {
    not_ready_ += clock_.now() - not_ready_since_;
  }
}

}  // namespace feedrate
