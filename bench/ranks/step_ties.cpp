#include "bench/ranks/step_ties.h"

#include <utility>

namespace feedrate {

PeerFailed::PeerFailed() : Error("another rank could not go on") {}

RankTies::RankTies(RankGroup& group, TiePlan plan, std::stop_token stop)
    : group_(group), plan_(std::move(plan)), stop_(std::move(stop)) {
  if (plan_.all_reduce_bytes == 0) return;
  values_.resize((plan_.all_reduce_bytes + sizeof(float) - 1) / sizeof(float) + 1);
}

void RankTies::agree() {
  ++agreements_;
  if (!group_.agree(true, stop_)) throw PeerFailed();
}

void RankTies::begin_epoch() {
  const std::size_t epoch = agreements_ - plan_.agreements_before;
  agree();
  to_reduce_ = reduces() ? plan_.steps_of_epochs.at(epoch) : 0;
}

void RankTies::all_reduce() {
  if (to_reduce_ == 0) return;
  --to_reduce_;
  group_.all_reduce(values_, stop_);
  if (values_.back() > 0.0F) throw PeerFailed();
}

void RankTies::give_up() {
  if (to_reduce_ > 0) {
    values_.back() = 1.0F;
    group_.all_reduce(values_, stop_);
  } else if (agreements_ < plan_.agreements_before + plan_.steps_of_epochs.size()) {
    static_cast<void>(group_.agree(false, stop_));
  }
}

int RankTies::local_rank() const {
  return group_.places().at(static_cast<std::size_t>(group_.rank())).local_rank;
}

}  // namespace feedrate
