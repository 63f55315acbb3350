// SPDX-License-Identifier: Apache-2.0
#include "training/first_rank.h"

namespace feedrate {
namespace {

constexpr Nanos kWaitForRank0 = std::chrono::seconds(10);
constexpr std::size_t kMostHeldMessages = 2'000;

// The launcher's environment has the rank first, then torch.distributed, which is more reliable.
std::optional<std::size_t> rank_of(const ScriptMessage& message) {
  if (const auto* const process = std::get_if<ScriptProcess>(&message)) return process->rank;
  const auto* const loader = std::get_if<ScriptLoader>(&message);
  return loader != nullptr && loader->ranks > 1 ? std::optional(loader->rank) : std::nullopt;
}

}  // namespace

void FirstRank::add(std::size_t connection, const ScriptMessage& message, Nanos now) {
  if (rank_of(message) == std::size_t{0}) decide(std::nullopt);
  if (is_known_) return hand_on(connection, message);
  if (waiting_.empty()) since_ = now;
  waiting_.emplace_back(connection, message);
}

void FirstRank::advance(Nanos now) {
  if (!waiting_.empty() && (now - since_ >= kWaitForRank0 || waiting_.size() > kMostHeldMessages))
    finish();
}

void FirstRank::finish() {
  if (waiting_.empty()) return;
  decide(rank_of(waiting_.front().second));
}

void FirstRank::decide(std::optional<std::size_t> stand_in) {
  is_known_ = true;
  if (waiting_.empty()) return;
  stand_in_ = stand_in;
  for (auto& [connection, message] : std::exchange(waiting_, {})) {
    hand_on(connection, std::move(message));
  }
}

void FirstRank::hand_on(std::size_t connection, ScriptMessage message) {
  if (auto* const process = std::get_if<ScriptProcess>(&message)) {
    process->rank = renumbered(process->rank);
  } else if (auto* const loader = std::get_if<ScriptLoader>(&message)) {
    loader->rank = renumbered(loader->rank);
  }
  take_(connection, message);
}

// The two swap their numbers, so that no rank exists twice.
std::size_t FirstRank::renumbered(std::size_t rank) const {
  if (rank == stand_in_) return 0;
  return rank == 0 && stand_in_ ? *stand_in_ : rank;
}

}  // namespace feedrate
