// SPDX-License-Identifier: Apache-2.0
#include "plan/protocol_options.h"

#include <algorithm>
#include <numeric>

#include "trainers/trainer.h"

namespace feedrate {

std::size_t ProtocolOptions::discarded_steps() const noexcept {
  return std::max({warmup, 2 * num_workers, max_outstanding, kRunAhead + 1});
}

std::size_t ProtocolOptions::kept_steps() const noexcept {
  const std::size_t round =
      std::lcm(std::max<std::size_t>(num_workers, 1), std::max<std::size_t>(sync_every, 1));
  const std::size_t least = std::max(steps, 2 * max_outstanding);
  return (least + round - 1) / round * round;
}

std::size_t ProtocolOptions::short_epoch_batches() const noexcept {
  return std::max<std::size_t>(num_workers, 1);
}

std::size_t ProtocolOptions::total_steps() const noexcept {
  return short_epochs * short_epoch_batches() + 1 + discarded_steps() + kept_steps();
}

}  // namespace feedrate
