// SPDX-License-Identifier: Apache-2.0
#include "bench/engines/ranked/step_barrier.h"

#include <utility>

namespace feedrate {

PeerFailed::PeerFailed() : Error("another rank failed") {}

StepBarrier::StepBarrier(RankGroup& group, BarrierPlan plan, std::unique_ptr<GradientSum> sum,
                         std::stop_token stop)
    : group_(group), plan_(std::move(plan)), sum_(std::move(sum)), stop_(std::move(stop)) {}

void StepBarrier::agree() {
  ++agreements_;
  if (!group_.agree(true, stop_)) throw PeerFailed();
}

void StepBarrier::begin_epoch() {
  const std::size_t epoch = agreements_ - plan_.agreements_before;
  agree();
  to_reduce_ = reduces() ? plan_.steps_of_epochs.at(epoch) : 0;
}

void StepBarrier::all_reduce() {
  if (to_reduce_ == 0) return;
  --to_reduce_;
  if (sum_->add_up(0.0F, stop_) > 0.0F) throw PeerFailed();
}

void StepBarrier::give_up() {
  if (to_reduce_ > 0) {
    static_cast<void>(sum_->add_up(1.0F, stop_));
  } else if (agreements_ < plan_.agreements_before + plan_.steps_of_epochs.size()) {
    static_cast<void>(group_.agree(false, stop_));
  }
}

int StepBarrier::local_rank() const {
  return group_.locations().at(static_cast<std::size_t>(group_.rank())).local_rank;
}

}  // namespace feedrate
