// SPDX-License-Identifier: Apache-2.0
// Chooses which candidates a tune starts next, after its probes (analysis/tuner/tuner.h). A policy
// belongs to one tuner, whose evidence it reads; that evidence has a ranking. One thread.
#pragma once
#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "analysis/tuner/evidence.h"

namespace feedrate {

enum class Stage { kProbe, kVerify, kHalve, kChallenge };

/// Candidates to start once each, in any order; without any, why the tune ends.
struct Round {
  Stage stage = Stage::kVerify;
  std::vector<std::size_t> candidates = {};
  Ending ending = Ending::kRunning;
};

class StartPolicy {
 public:
  StartPolicy() = default;
  StartPolicy(const StartPolicy&) = delete;
  StartPolicy& operator=(const StartPolicy&) = delete;
  virtual ~StartPolicy() = default;

  /// Called once the last round is over.
  [[nodiscard]] virtual Round next_round(const TuneEvidence& evidence) = 0;
  /// Compares the recommended candidate with `rival`.
  [[nodiscard]] virtual RatioVerdict compare(const TuneEvidence& evidence,
                                             std::size_t rival) const = 0;
  /// The evidence has a further start of this candidate.
  virtual void add(const TuneEvidence& /*evidence*/, std::size_t /*candidate*/) {}
  /// The candidates to measure since a prediction was far off; empty: none was.
  [[nodiscard]] virtual std::span<const std::size_t> fallback() const { return {}; }
};

/// Many cheap starts, as of a sweep: verifies the recommendation, the runner-up and the present
/// settings in rounds, halves the best ten after a large error, then challenges.
[[nodiscard]] std::unique_ptr<StartPolicy> make_round_policy();

/// Few expensive starts, as in a training: measures and challenges the best until it is sure, and
/// compares it with the present settings at the end.
[[nodiscard]] std::unique_ptr<StartPolicy> make_expensive_start_policy();

/// The recommended candidate needs this many starts, and a comparison this many rounds.
inline constexpr std::size_t kLeastStarts = 2;

/// The two candidates that most probably beat the recommended one, or that are compared with it and
/// `unsettled`; with it, unless it has more starts than they have.
[[nodiscard]] std::vector<std::size_t> challengers(const TuneEvidence& evidence,
                                                   const std::vector<std::size_t>& unsettled);

}  // namespace feedrate
