#include "tuner/tuner.h"

#include <algorithm>
#include <cmath>

#include "core/statistics.h"
#include "tuner/settings.h"

namespace feedrate {
namespace {

constexpr std::size_t kLeastStarts = 2;  // Of what is recommended and what it is held against.
constexpr double kTooFarOff = 0.10;
constexpr std::size_t kFinalists = 10;

double step_time_of(const CellResult& cell) {
  const double* const time = find_metric(cell.metrics, "step_time");
  return time == nullptr ? 0.0 : *time;
}

double course_seconds(const Settings& settings, std::size_t steps, double step_time) {
  return static_cast<double>(steady_course(loop_settings(settings), steps).batches) * step_time;
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

// ---- what is next ----

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
  if (!standing_) {
    ending_ = Ending::kExhausted;
    return std::nullopt;
  }
  if (const auto rival = next_to_verify()) return request(Stage::kVerify, *rival);
  if (const auto finalist = next_to_halve()) return request(Stage::kHalve, *finalist);
  if (standing_->is_gpu_bound) {
    ending_ = Ending::kGpuBound;
    return std::nullopt;
  }
  if (is_sure() && is_decided()) {
    ending_ = Ending::kConfident;
    return std::nullopt;
  }
  if (const auto challenger = next_challenge()) return request(Stage::kChallenge, *challenger);
  ending_ = Ending::kExhausted;
  return std::nullopt;
}

// Each finalist gets a start, the better half two, their better half four.
std::optional<std::size_t> Tuner::next_to_halve() {
  while (finalists_.size() > 1) {
    for (const std::size_t i : finalists_) {
      if (standing_->starts(i) < rung_ && may_start(i)) return i;
    }
    std::sort(finalists_.begin(), finalists_.end(), [&](std::size_t a, std::size_t b) {
      return standing_->means[a] > standing_->means[b];
    });
    finalists_.resize(finalists_.size() / 2);
    rung_ *= 2;
  }
  finalists_.clear();
  return std::nullopt;
}

// In turn: a drift of the machine then meets all of them. Who has lost already needs no more.
std::optional<std::size_t> Tuner::next_to_verify() const {
  std::optional<std::size_t> least;
  std::vector<std::size_t> wanted = rivals();
  std::erase_if(wanted, [&](std::size_t i) { return verdict_on(i).verdict == Verdict::kWin; });
  wanted.insert(wanted.begin(), standing_->chosen);
  for (const std::size_t i : wanted) {
    if (standing_->starts(i) >= kLeastStarts || !may_start(i)) continue;
    if (!least || standing_->starts(i) < standing_->starts(*least)) least = i;
  }
  return least;
}

// Of the recommended one and its strongest rival the one that is known less.
std::optional<std::size_t> Tuner::next_challenge() const {
  std::vector<std::size_t> challengers;
  for (const std::size_t i : rivals()) {
    if (verdict_on(i).verdict == Verdict::kUndecided) challengers.push_back(i);
  }
  if (!is_sure()) {
    std::vector<double> threats(candidates_.size(), 0.0);
    for (std::size_t i = 0; i < threats.size(); ++i) {
      threats[standing_->representative[i]] += standing_->confidence.threats[i];
    }
    std::vector<std::size_t> order = standing_->fastest_first();
    std::stable_sort(order.begin(), order.end(),
                     [&](std::size_t a, std::size_t b) { return threats[a] > threats[b]; });
    std::erase_if(order, [&](std::size_t i) { return !(threats[i] > 0.0); });
    challengers.insert(challengers.begin(), order.begin(), order.end());
  }
  const std::size_t chosen = standing_->chosen;
  for (const std::size_t i : challengers) {
    const bool chosen_is_behind = standing_->starts(chosen) < standing_->starts(i);
    if (chosen_is_behind && may_start(chosen)) return chosen;
    if (may_start(i)) return i;
    if (may_start(chosen)) return chosen;
  }
  return std::nullopt;
}

StartRequest Tuner::request(Stage stage, std::size_t candidate) const {
  const Settings& settings = candidates_[candidate].settings;
  return {stage, settings, seconds_for(settings)};
}

double Tuner::seconds_for(const Settings& settings) const {
  if (overheads_.empty()) return 0.0;
  double step_time = 0.0;
  if (const CellResult* const cell = find_cell(known_, settings)) step_time = step_time_of(*cell);
  const auto candidate = candidate_with(settings);
  if (candidate && predictions_[*candidate]) step_time = predictions_[*candidate]->step_time;
  return mean(overheads_) + course_seconds(settings, options_.steps, step_time);
}

// ---- what came of it ----

void Tuner::add(const CellResult& cell, double seconds) {
  const CellResult* const before = find_cell(known_, cell.settings);
  const bool is_new = before == nullptr;
  if (is_new) foretell(cell);
  if (seconds > 0.0) note_seconds(cell, seconds);
  if (is_new) {
    known_.push_back(cell);
    predictions_ = predict_all(candidates_, known_, options_.cores);
  } else {
    known_[static_cast<std::size_t>(before - known_.data())] = cell;
  }
  standing_ = weigh(candidates_, known_, predictions_, errors(), options_.aims);
  fall_back_if_off(cell);
}

// Of cells that the model was not fitted to yet.
void Tuner::foretell(const CellResult& cell) {
  const auto candidate = candidate_with(cell.settings);
  if (!candidate || is_probe(cell.settings) || !predictions_[*candidate]) return;
  foretold_[*candidate] = std::log(predictions_[*candidate]->rate);
}

std::vector<PredictionError> Tuner::errors() const {
  std::vector<PredictionError> errors;
  for (const auto& [candidate, rate] : foretold_) {
    const std::vector<double> rates =
        log_rates(*find_cell(known_, candidates_[candidate].settings));
    if (!rates.empty()) errors.push_back({mean(rates) - rate, rates.size()});
  }
  return errors;
}

void Tuner::fall_back_if_off(const CellResult& cell) {
  const auto candidate = candidate_with(cell.settings);
  const std::vector<double> rates = log_rates(cell);
  if (fell_back_ || !candidate || rates.empty() || !standing_) return;
  const auto foretold = foretold_.find(*candidate);
  if (foretold == foretold_.end()) return;
  const double noise =
      2.0 * standing_->deviations.noise / std::sqrt(static_cast<double>(rates.size()));
  if (std::abs(mean(rates) - foretold->second) <= kTooFarOff + noise) return;
  fell_back_ = true;
  finalists_ = standing_->fastest_first();
  if (finalists_.size() > kFinalists) finalists_.resize(kFinalists);
}

void Tuner::note_seconds(const CellResult& cell, double seconds) {
  const double steps = course_seconds(cell.settings, options_.steps, step_time_of(cell));
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
  return predictions_[candidate] && standing_->starts(candidate) < options_.most_starts;
}

// ---- where it stands ----

std::vector<std::size_t> Tuner::rivals() const {
  std::vector<std::size_t> others;
  if (standing_->runner_up) others.push_back(*standing_->runner_up);
  const auto present = options_.aims.present;
  if (present && *present != standing_->chosen && present != standing_->runner_up) {
    others.push_back(*present);
  }
  return others;
}

bool Tuner::is_sure() const {
  const double risk = 1.0 - options_.aims.confidence;
  return 1.0 - standing_->confidence.within <= kForLooking * risk;
}

bool Tuner::is_decided() const {
  const std::vector<std::size_t> others = rivals();
  return std::all_of(others.begin(), others.end(), [&](std::size_t i) {
    return !may_start(i) || verdict_on(i).verdict != Verdict::kUndecided;
  });
}

RateOf Tuner::rate_of(std::size_t candidate) const {
  const double center = standing_->means[candidate];
  const double half = student_t(options_.aims.confidence, standing_->deviations.freedom) *
                      standing_->spreads[candidate];
  return {candidate,
          predictions_[candidate] ? predictions_[candidate]->rate : 0.0,
          std::exp(center),
          {std::exp(center - half), std::exp(center + half)},
          standing_->starts(candidate)};
}

RatioVerdict Tuner::verdict_on(std::size_t rival) const {
  return compare_starts(standing_->evidence[standing_->chosen].starts,
                        standing_->evidence[rival].starts, standing_->deviations.noise,
                        standing_->deviations.noise_freedom, options_.aims.confidence,
                        options_.aims.tolerance);
}

Rival Tuner::rival(std::size_t candidate) const {
  return {rate_of(candidate), verdict_on(candidate)};
}

std::vector<double> Tuner::expected_rates() const {
  std::vector<double> rates(candidates_.size(), 0.0);
  for (std::size_t i = 0; standing_ && i < rates.size(); ++i)
    rates[i] = std::exp(standing_->means[i]);
  return rates;
}

std::optional<Decision> Tuner::decision() const {
  if (!standing_) return std::nullopt;
  Decision decision;
  decision.ending = ending_;
  const std::size_t best = standing_->chosen;
  decision.recommended = rate_of(best);
  if (standing_->runner_up) decision.runner_up = rival(*standing_->runner_up);
  decision.present_is_best = options_.aims.present == best;
  if (options_.aims.present && !decision.present_is_best)
    decision.present = rival(*options_.aims.present);
  decision.tolerance = claimed_tolerance(options_.aims);
  decision.confidence = standing_->confidence.within;
  decision.loss = standing_->confidence.loss;
  decision.considered = candidates_.size();
  for (std::size_t i = 0; i < candidates_.size(); ++i) {
    if (standing_->starts(i) > 0) ++decision.measured;
  }
  std::vector<double> sizes;
  for (const PredictionError& one : errors()) sizes.push_back(std::abs(std::expm1(one.error)));
  decision.model_errors = sizes.size();
  decision.model_error = sizes.empty() ? 0.0 : median(sizes);
  decision.fell_back = fell_back_;
  if (predictions_[best]) {
    const double limit = predictions_[best]->trainer_limit;
    if (std::isfinite(limit)) decision.trainer_limit = limit;
    decision.first_batch_time = predictions_[best]->first_batch_time;
  }
  return decision;
}

}  // namespace feedrate
