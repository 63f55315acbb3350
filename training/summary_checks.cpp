// SPDX-License-Identifier: Apache-2.0
#include "training/summary_checks.h"

#include <algorithm>
#include <cmath>

#include "analysis/limits.h"

namespace feedrate {
namespace {

constexpr std::size_t kFewestForCertainty = 2;
constexpr double kAlmostCertain = 0.99;

// Figures are rounded as in print: "2.10x" is not more than "2.10x".
double hundredths(double factor) { return std::round(100.0 * factor); }
double tenths_of_percent(double share) { return std::round(1000.0 * share); }

bool is_shown(const MeasuredGain& gain) { return hundredths(gain.low) > 100.0; }

TuningOutcome outcome_of_change(const TuningFacts& tuning) {
  if (!tuning.gain) return TuningOutcome::kNotCompared;
  return is_shown(*tuning.gain) ? TuningOutcome::kFaster : TuningOutcome::kNotShown;
}

TuningOutcome outcome_of(const TuningFacts& tuning, const WaitFacts& before) {
  if (!tuning.why_given_up.empty()) return TuningOutcome::kGivenUp;
  if (!tuning.changes.empty()) return outcome_of_change(tuning);
  if (tuning.tried >= kFewestForCertainty) return TuningOutcome::kNoneFaster;
  if (!tuning.failed.empty()) return TuningOutcome::kNoneMeasured;
  const Bound bound = bound_of(before);
  if (bound == Bound::kTraining || bound == Bound::kGpu) return TuningOutcome::kNoneNeeded;
  return tuning.unaffordable.empty() ? TuningOutcome::kNoneTried : TuningOutcome::kNoneFits;
}

TuningClaim claim_of(const TuningFacts& tuning, TuningOutcome outcome) {
  const bool has_choice =
      outcome == TuningOutcome::kFaster || outcome == TuningOutcome::kNotShown ||
      outcome == TuningOutcome::kNotCompared || outcome == TuningOutcome::kNoneFaster;
  if (has_choice && tuning.tried >= kFewestForCertainty) {
    if (tuning.is_recommended) return TuningClaim::kWithinTolerance;
    return tuning.changes.empty() ? TuningClaim::kNoneKnown : TuningClaim::kBestTried;
  }
  const bool is_prediction = outcome == TuningOutcome::kNoneTried && tuning.is_recommended;
  return is_prediction ? TuningClaim::kPredicted : TuningClaim::kNone;
}

bool exceeds_most(const TuningFacts& tuning, const WaitFacts& before) {
  const std::optional<double> most = most_to_win(before);
  return tuning.gain && most && hundredths(tuning.gain->ratio) > hundredths(*most);
}

}  // namespace

const char* to_string(Bound bound) noexcept {
  switch (bound) {
    case Bound::kInput:
      return "INPUT-BOUND";
    case Bound::kBalanced:
      return "BALANCED";
    case Bound::kTraining:
      return "TRAINING-BOUND";
    case Bound::kGpu:
      return "GPU-BOUND";
    case Bound::kUnknown:
      break;
  }
  return "UNKNOWN";
}

const char* to_string(TuningOutcome outcome) noexcept {
  switch (outcome) {
    case TuningOutcome::kFaster:
      return "faster";
    case TuningOutcome::kNotShown:
      return "not shown";
    case TuningOutcome::kNotCompared:
      return "not compared";
    case TuningOutcome::kNoneFaster:
      return "none faster";
    case TuningOutcome::kNoneNeeded:
      return "nothing to win";
    case TuningOutcome::kNoneMeasured:
      return "none measured";
    case TuningOutcome::kNoneFits:
      return "none fits";
    case TuningOutcome::kNoneTried:
      return "none tried";
    case TuningOutcome::kGivenUp:
      break;
  }
  return "given up";
}

Bound bound_of(const WaitFacts& facts) {
  if (facts.is_taken_by_a_thread) return Bound::kUnknown;
  const double wait = std::max(facts.stall, facts.slowest_part);
  if (wait > kBalance) return Bound::kInput;
  if (wait > kNothingToWin) return Bound::kBalanced;
  return facts.has_gpu ? Bound::kGpu : Bound::kTraining;
}

std::optional<double> most_to_win(const WaitFacts& facts) {
  const double wait = std::max(facts.stall, facts.slowest_part);
  if (facts.is_taken_by_a_thread || wait >= 1.0) return std::nullopt;
  return 1.0 / (1.0 - std::max(wait, 0.0));
}

TuningStatement state(const TuningFacts& tuning, const WaitFacts& before) {
  TuningStatement statement;
  statement.outcome = outcome_of(tuning, before);
  statement.claim = claim_of(tuning, statement.outcome);
  if (statement.outcome == TuningOutcome::kFaster) statement.gain = tuning.gain;
  const double most = tuning.tried < kFewestForCertainty ? kAlmostCertain : 1.0;
  statement.confidence = std::min(tuning.confidence, most);
  statement.possible = tuning.considered - std::min(tuning.failed.size(), tuning.considered - 1);
  const bool has_gain =
      statement.outcome == TuningOutcome::kFaster || statement.outcome == TuningOutcome::kNotShown;
  statement.exceeds_most = has_gain && exceeds_most(tuning, before);
  statement.exceeds_bound = tenths_of_percent(tuning.cost_share) > tenths_of_percent(tuning.bound);
  return statement;
}

}  // namespace feedrate
