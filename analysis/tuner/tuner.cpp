// SPDX-License-Identifier: Apache-2.0
#include "analysis/tuner/tuner.h"

#include <algorithm>
#include <utility>

#include "core/random.h"

namespace feedrate {

const char* to_string(Stage stage) noexcept {
  switch (stage) {
    case Stage::kProbe:
      return "probe";
    case Stage::kVerify:
      return "verify";
    case Stage::kHalve:
      return "fall back";
    case Stage::kChallenge:
      break;
  }
  return "challenge";
}

Tuner::Tuner(std::vector<Candidate> candidates, std::vector<Settings> probes, TunerOptions options,
             std::unique_ptr<StartPolicy> policy)
    : evidence_(std::move(candidates), std::move(probes), std::move(options)),
      policy_(std::move(policy)) {}

std::optional<StartRequest> Tuner::next(double seconds_left) {
  ending_ = Ending::kRunning;
  std::optional<StartRequest> wanted = next_start();
  if (!wanted || (wanted->seconds <= seconds_left && seconds_left > 0.0)) return wanted;
  ending_ = Ending::kOutOfTime;
  return std::nullopt;
}

std::optional<StartRequest> Tuner::next_start() {
  if (const Settings* const probe = evidence_.missing_probe()) {
    return StartRequest{Stage::kProbe, *probe, evidence_.seconds_for(*probe)};
  }
  if (!evidence_.ranking()) {
    ending_ = Ending::kExhausted;
    return std::nullopt;
  }
  std::erase_if(to_start_, [&](std::size_t i) { return !evidence_.may_start(i); });
  if (to_start_.empty()) begin_round();
  if (to_start_.empty()) return std::nullopt;
  const Settings& settings = candidates()[to_start_.back()].settings;
  return StartRequest{stage_, settings, evidence_.seconds_for(settings), round_};
}

// Shuffles, so that no setting always follows the same one.
void Tuner::begin_round() {
  Round round = policy_->next_round(evidence_);
  to_start_ = std::move(round.candidates);
  if (to_start_.empty()) {
    ending_ = round.ending;
    return;
  }
  stage_ = round.stage;
  ++round_;
  RandomStream random = sample_stream(evidence_.goals().seed, round_, 0);
  for (std::size_t i = to_start_.size(); i > 1; --i) {
    std::swap(to_start_[i - 1], to_start_[random.below(i)]);
  }
}

void Tuner::add(const CellResult& cell, double seconds) {
  const std::optional<std::size_t> candidate = evidence_.candidate_with(cell.settings);
  if (candidate && !to_start_.empty() && to_start_.back() == *candidate) to_start_.pop_back();
  for (const Repeat& repeat : cell.repeats) round_ = std::max(round_, repeat.round.value_or(0));
  evidence_.add(cell, seconds);
  if (candidate && evidence_.ranking()) policy_->add(evidence_, *candidate);
}

Rival Tuner::rival(std::size_t candidate) const {
  return {evidence_.rate_of(candidate), policy_->compare(evidence_, candidate)};
}

std::optional<Decision> Tuner::decision() const {
  const std::optional<Ranking>& ranking = evidence_.ranking();
  if (!ranking) return std::nullopt;
  Decision decision = evidence_.decision();
  decision.ending = ending_;
  if (ranking->runner_up) decision.runner_up = rival(*ranking->runner_up);
  const std::optional<std::size_t> present = evidence_.goals().present;
  if (present && !decision.present_is_best) decision.present = rival(*present);
  for (const std::size_t i : policy_->fallback()) {
    ++decision.fallback;
    if (ranking->starts(i) > 0) ++decision.fallback_measured;
  }
  apply_lost_verdicts(decision, evidence_.goals().confidence);
  return decision;
}

}  // namespace feedrate
