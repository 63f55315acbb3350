// SPDX-License-Identifier: Apache-2.0
// Rank 0 is watched and tuned. On another node of a job, or with a stale RANK in the environment,
// it never connects: then the first rank that connected takes its number. One thread.
#pragma once
#include <cstddef>
#include <optional>
#include <utility>
#include <vector>

#include "training/listener.h"

namespace feedrate {

class FirstRank {
 public:
  /// `take` receives all messages; those of other ranks after rank 0 has connected, or after the
  /// wait for it.
  explicit FirstRank(OnScriptMessage take) : take_(std::move(take)) {}

  void add(std::size_t connection, const ScriptMessage& message, Nanos now);
  /// Ends the wait for rank 0 after some seconds.
  void advance(Nanos now);
  /// Ends it at once.
  void finish();

  /// The rank that stands in for rank 0.
  [[nodiscard]] std::optional<std::size_t> stand_in() const { return stand_in_; }

 private:
  void decide(std::optional<std::size_t> stand_in);
  void hand_on(std::size_t connection, ScriptMessage message);
  [[nodiscard]] std::size_t renumbered(std::size_t rank) const;

  OnScriptMessage take_;
  std::vector<std::pair<std::size_t, ScriptMessage>> waiting_;
  Nanos since_{};  // When the first of them came.
  bool is_known_ = false;
  std::optional<std::size_t> stand_in_;
};

}  // namespace feedrate
