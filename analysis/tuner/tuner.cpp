// SPDX-License-Identifier: Apache-2.0
#include "analysis/tuner/tuner.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "analysis/foreign_load.h"
#include "analysis/tuner/settings.h"
#include "core/random.h"
#include "core/statistics.h"

namespace feedrate {
namespace {

constexpr std::size_t kLeastStarts = 2;  // Of the recommendation and of its rounds.
constexpr double kTooFarOff = 0.10;
constexpr std::size_t kFinalists = 10;

double step_time_of(const CellResult& cell) {
  const double* const time = find_metric(cell.metrics, "step_time");
  return time == nullptr ? 0.0 : *time;
}

std::map<std::size_t, const Repeat*> starts_by_round(const CellResult* cell) {
  std::map<std::size_t, const Repeat*> starts;
  if (cell == nullptr) return starts;
  for (const Repeat& start : cell->repeats) {
    const double* const rate = find_metric(start.metrics, "samples_per_second");
    if (start.round && rate != nullptr && *rate > 0.0) starts[*start.round] = &start;
  }
  return starts;
}

double log_rate_of(const Repeat& start) {
  return std::log(*find_metric(start.metrics, "samples_per_second"));
}

}  // namespace

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

Tuner::Tuner(std::vector<Candidate> candidates, std::vector<Settings> probes,
             const TunerOptions& options)
    : candidates_(std::move(candidates)),
      probes_(std::move(probes)),
      options_(options),
      predictions_(candidates_.size()) {}

// ---- the next start ----

std::optional<StartRequest> Tuner::next(double seconds_left) {
  ending_ = Ending::kRunning;
  std::optional<StartRequest> wanted = next_probe();
  if (!wanted) wanted = next_start();
  if (!wanted) return std::nullopt;
  if (wanted->seconds <= seconds_left && seconds_left > 0.0) return wanted;
  ending_ = Ending::kOutOfTime;
  return std::nullopt;
}

std::optional<StartRequest> Tuner::next_probe() const {
  for (const Settings& probe : probes_) {
    if (find_cell(known_, probe)) continue;
    return StartRequest{Stage::kProbe, probe, seconds_for(probe)};
  }
  return std::nullopt;
}

std::optional<StartRequest> Tuner::next_start() {
  if (!ranking_) {
    ending_ = Ending::kExhausted;
    return std::nullopt;
  }
  std::erase_if(to_start_, [&](std::size_t i) { return !may_start(i); });
  if (to_start_.empty()) begin_round();
  if (to_start_.empty()) return std::nullopt;
  const Settings& settings = candidates_[to_start_.back()].settings;
  return StartRequest{stage_, settings, seconds_for(settings), round_};
}

void Tuner::begin_round() {
  if (options_.goals.is_thrifty) return begin_thrifty_round();
  if (begin_round(Stage::kVerify, to_verify())) return;
  if (begin_round(Stage::kHalve, to_halve())) return;
  if (ranking_->is_gpu_bound) {
    ending_ = Ending::kGpuBound;
  } else if (is_sure() && is_decided()) {
    ending_ = Ending::kConfident;
  } else if (!begin_round(Stage::kChallenge, to_challenge())) {
    ending_ = Ending::kExhausted;
  }
}

void Tuner::begin_thrifty_round() {
  const std::size_t chosen = ranking_->chosen;
  const std::size_t present = options_.goals.present.value_or(chosen);
  const bool is_at_limit = ranking_->is_at_limit;
  const bool needs_more = ranking_->starts(chosen) < kLeastStarts || (is_at_limit && !is_sure());
  const bool is_compared = present == chosen || ranking_->starts(present) > kLeastStarts;
  if (ranking_->is_gpu_bound) {
    ending_ = Ending::kGpuBound;
  } else if (needs_more && may_start(chosen)) {
    static_cast<void>(begin_round(Stage::kVerify, {chosen}));
  } else if (!is_at_limit && !is_sure() && begin_round(Stage::kChallenge, to_challenge())) {
    return;
  } else if (!is_compared && may_start(present)) {
    static_cast<void>(begin_round(Stage::kVerify, {present}));
  } else {
    ending_ = is_at_limit || is_sure() ? Ending::kConfident : Ending::kExhausted;
  }
}

// No setting may always follow the same one.
bool Tuner::begin_round(Stage stage, std::vector<std::size_t> candidates) {
  if (candidates.empty()) return false;
  stage_ = stage;
  ++round_;
  RandomStream random = sample_stream(options_.goals.seed, round_, 0);
  for (std::size_t i = candidates.size(); i > 1; --i) {
    std::swap(candidates[i - 1], candidates[random.below(i)]);
  }
  to_start_ = std::move(candidates);
  return true;
}

// Each finalist gets one start, the better half two, and so on.
std::vector<std::size_t> Tuner::to_halve() {
  while (finalists_.size() > 1) {
    std::vector<std::size_t> wanted = finalists_;
    std::erase_if(wanted,
                  [&](std::size_t i) { return ranking_->starts(i) >= rung_ || !may_start(i); });
    if (!wanted.empty()) return wanted;
    std::sort(finalists_.begin(), finalists_.end(), [&](std::size_t a, std::size_t b) {
      return ranking_->means[a] > ranking_->means[b];
    });
    finalists_.resize(finalists_.size() / 2);
    rung_ *= 2;
  }
  finalists_.clear();
  return {};
}

std::vector<std::size_t> Tuner::to_verify() const {
  const std::size_t chosen = ranking_->chosen;
  if (!may_start(chosen)) return {};
  std::vector<std::size_t> wanted = rivals();
  std::erase_if(wanted, [&](std::size_t i) {
    const RatioVerdict known = verdict_on(i);
    const std::size_t rounds = known.rounds + known.disturbed;
    return known.verdict == Verdict::kWin || rounds >= kLeastStarts || !may_start(i);
  });
  if (!wanted.empty() || ranking_->starts(chosen) < kLeastStarts) wanted.push_back(chosen);
  return wanted;
}

// Then a round needs only the challengers.
bool Tuner::has_more_starts_than(const std::vector<std::size_t>& challengers) const {
  const std::vector<std::size_t> compared = rivals();
  return std::all_of(challengers.begin(), challengers.end(), [&](std::size_t i) {
    const bool is_rival = std::find(compared.begin(), compared.end(), i) != compared.end();
    return ranking_->starts(i) < ranking_->starts(ranking_->chosen) && (!is_rival || is_settled(i));
  });
}

std::vector<std::size_t> Tuner::to_challenge() const {
  constexpr std::size_t kAtOnce = 2;
  std::vector<std::size_t> challengers;
  if (!is_sure()) {
    std::vector<double> threats(candidates_.size(), 0.0);
    for (std::size_t i = 0; i < threats.size(); ++i) {
      threats[ranking_->representative[i]] += ranking_->confidence.threats[i];
    }
    challengers = ranking_->fastest_first();
    std::stable_sort(challengers.begin(), challengers.end(),
                     [&](std::size_t a, std::size_t b) { return threats[a] > threats[b]; });
    std::erase_if(challengers, [&](std::size_t i) { return !(threats[i] > 0.0); });
  }
  for (const std::size_t i : rivals()) {
    const bool is_there = std::find(challengers.begin(), challengers.end(), i) != challengers.end();
    if (!is_there && !is_settled(i)) challengers.push_back(i);
  }
  const std::size_t chosen = ranking_->chosen;
  if (challengers.empty()) return {};
  std::erase_if(challengers, [&](std::size_t i) { return i == chosen || !may_start(i); });
  if (challengers.size() > kAtOnce) challengers.resize(kAtOnce);
  if (may_start(chosen) && !has_more_starts_than(challengers)) challengers.push_back(chosen);
  return challengers;
}

double Tuner::seconds_for(const Settings& settings) const {
  if (overheads_.empty()) return 0.0;
  double step_time = 0.0;
  if (const CellResult* const cell = find_cell(known_, settings)) step_time = step_time_of(*cell);
  const auto candidate = candidate_with(settings);
  if (candidate && predictions_[*candidate]) step_time = predictions_[*candidate]->step_time;
  return mean(overheads_) + epoch_seconds(settings, step_time);
}

double Tuner::epoch_seconds(const Settings& settings, double step_time) const {
  auto steps = static_cast<double>(options_.steps);
  if (step_time > 0.0) {
    const double fit = std::ceil(options_.window_seconds / step_time);
    steps = std::min(steps, std::max(static_cast<double>(options_.least_steps), fit));
  }
  const EpochPlan plan = steady_epoch(loop_settings(settings), static_cast<std::size_t>(steps));
  return static_cast<double>(plan.batches) * step_time;
}

// ---- results ----

void Tuner::add(const CellResult& cell, double seconds) {
  note_round(cell);
  const CellResult* const before = find_cell(known_, cell.settings);
  const bool is_new = before == nullptr;
  if (is_new) note_prediction(cell);
  if (seconds > 0.0) note_seconds(cell, seconds);
  if (is_new) {
    known_.push_back(cell);
    predictions_ = predict();
  } else {
    known_[static_cast<std::size_t>(before - known_.data())] = cell;
  }
  ranking_ = rank_candidates(candidates_, known_, predictions_, errors(), options_.goals);
  fall_back_if_off(cell);
}

void Tuner::note_prediction(const CellResult& cell) {
  const auto candidate = candidate_with(cell.settings);
  if (!candidate || is_probe(cell.settings) || !predictions_[*candidate]) return;
  predicted_[*candidate] = std::log(predictions_[*candidate]->rate);
}

std::vector<PredictionError> Tuner::errors() const {
  std::vector<PredictionError> errors;
  for (const auto& [candidate, rate] : predicted_) {
    const std::vector<double> rates =
        log_rates(*find_cell(known_, candidates_[candidate].settings));
    if (!rates.empty()) errors.push_back({mean(rates) - rate, rates.size()});
  }
  return errors;
}

void Tuner::fall_back_if_off(const CellResult& cell) {
  if (options_.goals.is_thrifty) return;
  const auto candidate = candidate_with(cell.settings);
  const std::vector<double> rates = log_rates(cell);
  if (!fallback_.empty() || !candidate || rates.empty() || !ranking_) return;
  const auto predicted = predicted_.find(*candidate);
  if (predicted == predicted_.end()) return;
  const double noise =
      2.0 * ranking_->deviations.noise / std::sqrt(static_cast<double>(rates.size()));
  if (std::abs(mean(rates) - predicted->second) <= kTooFarOff + noise) return;
  finalists_ = ranking_->fastest_first();
  if (finalists_.size() > kFinalists) finalists_.resize(kFinalists);
  fallback_ = finalists_;
}

void Tuner::note_round(const CellResult& cell) {
  if (!to_start_.empty() && candidates_[to_start_.back()].settings == cell.settings) {
    to_start_.pop_back();
  }
  for (const Repeat& repeat : cell.repeats) round_ = std::max(round_, repeat.round.value_or(0));
}

std::vector<std::optional<Prediction>> Tuner::predict() const {
  return options_.predict ? options_.predict(candidates_, known_)
                          : predict_all(candidates_, known_, options_.cores);
}

void Tuner::note_seconds(const CellResult& cell, double seconds) {
  const double steps = epoch_seconds(cell.settings, step_time_of(cell));
  overheads_.push_back(std::max(0.0, seconds - steps));
}

std::optional<std::size_t> Tuner::candidate_with(const Settings& settings) const {
  for (std::size_t i = 0; i < candidates_.size(); ++i) {
    if (candidates_[i].settings == settings) return i;
  }
  return std::nullopt;
}

bool Tuner::is_probe(const Settings& settings) const {
  return std::find(probes_.begin(), probes_.end(), settings) != probes_.end();
}

bool Tuner::may_start(std::size_t candidate) const {
  const CellResult* const cell = find_cell(known_, candidates_[candidate].settings);
  if (cell != nullptr && cell->outcome == Outcome::kFailed) return false;
  return predictions_[candidate] && ranking_->starts(candidate) < options_.most_starts;
}

// ---- the state ----

std::vector<std::size_t> Tuner::rivals() const {
  std::vector<std::size_t> others;
  if (ranking_->runner_up && !options_.goals.is_thrifty) others.push_back(*ranking_->runner_up);
  const auto present = options_.goals.present;
  if (present && *present != ranking_->chosen && present != ranking_->runner_up) {
    others.push_back(*present);
  }
  return others;
}

bool Tuner::is_sure() const {
  const double risk = 1.0 - options_.goals.confidence;
  return 1.0 - ranking_->confidence.within <= kRiskPerTest * risk;
}

// A LOSE verdict is not settled: the recommendation must change.
bool Tuner::is_settled(std::size_t rival) const {
  const Verdict verdict = verdict_on(rival).verdict;
  return verdict == Verdict::kWin || verdict == Verdict::kTie;
}

bool Tuner::is_decided() const {
  const std::vector<std::size_t> others = rivals();
  return std::all_of(others.begin(), others.end(),
                     [&](std::size_t i) { return !may_start(i) || is_settled(i); });
}

RateOf Tuner::rate_of(std::size_t candidate) const {
  const std::vector<double>& starts = ranking_->evidence[candidate].starts;
  const RateDeviations& known = ranking_->deviations;
  RateOf rate{.candidate = candidate, .starts = starts.size()};
  if (predictions_[candidate]) rate.predicted = predictions_[candidate]->rate;
  const double center = starts.empty() ? ranking_->means[candidate] : mean(starts);
  rate.expected = std::exp(center);
  if (starts.size() == 1) return rate;
  const double half =
      starts.empty()
          ? student_t(options_.goals.confidence, known.freedom) * ranking_->spreads[candidate]
          : student_t(options_.goals.confidence, known.noise_freedom) * known.noise /
                std::sqrt(static_cast<double>(starts.size()));
  rate.interval = Interval{std::exp(center - half), std::exp(center + half)};
  return rate;
}

RatioVerdict Tuner::thrifty_verdict_on(std::size_t rival) const {
  const std::vector<double>& own = ranking_->evidence[ranking_->chosen].starts;
  std::vector<double> differences;
  if (!own.empty()) differences = ranking_->evidence[rival].starts;
  for (double& one : differences) one = mean(own) - one;
  return compare_rounds(differences, ranking_->deviations.noise, ranking_->deviations.noise_freedom,
                        options_.goals.confidence, options_.goals.tolerance);
}

RatioVerdict Tuner::verdict_on(std::size_t rival) const {
  if (options_.goals.is_thrifty) return thrifty_verdict_on(rival);
  const auto starts_of = [this](std::size_t candidate) {
    return starts_by_round(find_cell(known_, candidates_[candidate].settings));
  };
  const std::map<std::size_t, const Repeat*> of_rival = starts_of(rival);
  std::vector<double> differences;
  std::size_t disturbed = 0;
  for (const auto& [round, start] : starts_of(ranking_->chosen)) {
    const auto same = of_rival.find(round);
    if (same == of_rival.end()) continue;
    if (is_disturbed(*start) || is_disturbed(*same->second)) {
      ++disturbed;
    } else {
      differences.push_back(log_rate_of(*start) - log_rate_of(*same->second));
    }
  }
  RatioVerdict verdict =
      compare_rounds(differences, ranking_->deviations.noise, ranking_->deviations.noise_freedom,
                     options_.goals.confidence, options_.goals.tolerance);
  verdict.disturbed = disturbed;
  return verdict;
}

Rival Tuner::rival(std::size_t candidate) const {
  return {rate_of(candidate), verdict_on(candidate)};
}

std::vector<RateOf> Tuner::rates() const {
  std::vector<RateOf> rates(candidates_.size());
  for (std::size_t i = 0; ranking_ && i < rates.size(); ++i) rates[i] = rate_of(i);
  return rates;
}

std::vector<std::optional<Prediction>> Tuner::predictions() const {
  std::vector<std::optional<Prediction>> predictions = predictions_;
  for (std::size_t i = 0; i < predictions.size(); ++i) {
    const CellResult* const cell = find_cell(known_, candidates_[i].settings);
    if (cell != nullptr && cell->outcome == Outcome::kFailed) predictions[i].reset();
    if (!predictions[i] || !ranking_) continue;
    const double faster = std::exp(ranking_->means[i]) / predictions[i]->rate;
    predictions[i]->rate *= faster;
    predictions[i]->step_time /= faster;
  }
  return predictions;
}

std::optional<Decision> Tuner::decision() const {
  if (!ranking_) return std::nullopt;
  Decision decision;
  decision.ending = ending_;
  const std::size_t best = ranking_->chosen;
  decision.recommended = rate_of(best);
  if (ranking_->runner_up) decision.runner_up = rival(*ranking_->runner_up);
  decision.runner_up_needs_conversion = ranking_->conversion.has_value();
  decision.present_is_best = options_.goals.present == best;
  if (options_.goals.present && !decision.present_is_best)
    decision.present = rival(*options_.goals.present);
  decision.tolerance = claimed_tolerance(options_.goals);
  decision.confidence = ranking_->confidence.within;
  decision.loss = ranking_->confidence.loss;
  decision.considered = candidates_.size();
  for (std::size_t i = 0; i < candidates_.size(); ++i) {
    if (ranking_->starts(i) > 0) ++decision.measured;
  }
  std::vector<double> sizes;
  for (const PredictionError& one : errors()) sizes.push_back(std::abs(std::expm1(one.error)));
  decision.model_errors = sizes.size();
  decision.model_error = sizes.empty() ? 0.0 : median(sizes);
  decision.fallback = fallback_.size();
  for (const std::size_t i : fallback_) {
    if (ranking_->starts(i) > 0) ++decision.fallback_measured;
  }
  apply_lost_verdicts(decision, options_.goals.confidence);
  if (predictions_[best]) {
    const double limit = predictions_[best]->trainer_limit;
    if (std::isfinite(limit)) decision.trainer_limit = limit;
    decision.first_batch_time = predictions_[best]->first_batch_time;
  }
  return decision;
}

}  // namespace feedrate
