// SPDX-License-Identifier: Apache-2.0
#include "bench/plan/protocol_options.h"

#include <algorithm>
#include <numeric>

#include "bench/trainers/trainer.h"

namespace feedrate {
namespace {

std::size_t whole_rounds(std::size_t steps, std::size_t round) {
  return (steps + round - 1) / round * round;
}

}  // namespace

std::size_t ProtocolOptions::discarded_steps() const noexcept {
  return std::max({warmup, 2 * num_workers, max_outstanding, kRunAhead + 1});
}

std::size_t ProtocolOptions::round() const noexcept {
  return std::lcm(std::max<std::size_t>(num_workers, 1), std::max<std::size_t>(sync_every, 1));
}

std::size_t ProtocolOptions::kept_steps() const noexcept {
  return whole_rounds(std::max(steps, 2 * max_outstanding), round());
}

std::size_t ProtocolOptions::least_steps() const noexcept {
  return whole_rounds(std::max(std::min(steps, kLeastSteps), 2 * max_outstanding), round());
}

bool ProtocolOptions::is_window(std::size_t kept, Nanos elapsed) const noexcept {
  if (kept >= kept_steps()) return true;
  return window_limit && elapsed >= *window_limit && kept >= least_steps() && kept % round() == 0;
}

std::size_t ProtocolOptions::short_epoch_batches() const noexcept {
  return std::max<std::size_t>(num_workers, 1);
}

std::size_t ProtocolOptions::total_steps() const noexcept {
  return short_epochs * short_epoch_batches() + 1 + discarded_steps() + kept_steps();
}

}  // namespace feedrate
