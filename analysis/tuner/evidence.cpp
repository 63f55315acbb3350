// SPDX-License-Identifier: Apache-2.0
#include "analysis/tuner/evidence.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "analysis/tuner/settings.h"
#include "core/statistics.h"

namespace feedrate {
namespace {

double step_time_of(const CellResult& cell) {
  const double* const time = find_metric(cell.metrics, "step_time");
  return time == nullptr ? 0.0 : *time;
}

bool has_failed(const CellResult* cell) {
  return cell != nullptr && cell->outcome == Outcome::kFailed;
}

}  // namespace

TuneEvidence::TuneEvidence(std::vector<Candidate> candidates, std::vector<Settings> probes,
                           TunerOptions options)
    : candidates_(std::move(candidates)),
      probes_(std::move(probes)),
      options_(std::move(options)),
      predictions_(candidates_.size()) {}

// ---- results ----

void TuneEvidence::add(const CellResult& cell, double seconds) {
  const CellResult* const before = find_cell(known_, cell.settings);
  const bool is_new = before == nullptr;
  if (is_new) note_prediction(cell.settings);
  if (seconds > 0.0) {
    const double steps = epoch_seconds(cell.settings, step_time_of(cell));
    overheads_.push_back(std::max(0.0, seconds - steps));
  }
  if (is_new) {
    known_.push_back(cell);
    predictions_ = predict();
  } else {
    known_[static_cast<std::size_t>(before - known_.data())] = cell;
  }
  ranking_ = rank_candidates(candidates_, known_, predictions_, errors(), options_.goals);
}

void TuneEvidence::note_prediction(const Settings& settings) {
  const auto candidate = candidate_with(settings);
  const bool is_probe = std::find(probes_.begin(), probes_.end(), settings) != probes_.end();
  if (!candidate || is_probe || !predictions_[*candidate]) return;
  predicted_[*candidate] = std::log(predictions_[*candidate]->rate);
}

std::vector<std::optional<Prediction>> TuneEvidence::predict() const {
  return options_.predict ? options_.predict(candidates_, known_)
                          : predict_all(candidates_, known_, options_.cores);
}

std::optional<PredictionError> TuneEvidence::error_of(std::size_t candidate) const {
  const auto predicted = predicted_.find(candidate);
  if (predicted == predicted_.end()) return std::nullopt;
  const std::vector<double> rates = log_rates(*cell_of(candidate));
  if (rates.empty()) return std::nullopt;
  return PredictionError{mean(rates) - predicted->second, rates.size()};
}

std::vector<PredictionError> TuneEvidence::errors() const {
  std::vector<PredictionError> errors;
  for (const auto& [candidate, rate] : predicted_) {
    if (const auto error = error_of(candidate)) errors.push_back(*error);
  }
  return errors;
}

// ---- starts ----

const Settings* TuneEvidence::missing_probe() const {
  const auto missing = std::find_if(probes_.begin(), probes_.end(), [&](const Settings& probe) {
    return find_cell(known_, probe) == nullptr;
  });
  return missing == probes_.end() ? nullptr : &*missing;
}

std::optional<std::size_t> TuneEvidence::candidate_with(const Settings& settings) const {
  for (std::size_t i = 0; i < candidates_.size(); ++i) {
    if (candidates_[i].settings == settings) return i;
  }
  return std::nullopt;
}

const CellResult* TuneEvidence::cell_of(std::size_t candidate) const {
  return find_cell(known_, candidates_[candidate].settings);
}

double TuneEvidence::seconds_for(const Settings& settings) const {
  if (overheads_.empty()) return 0.0;
  double step_time = 0.0;
  if (const CellResult* const cell = find_cell(known_, settings)) step_time = step_time_of(*cell);
  const auto candidate = candidate_with(settings);
  if (candidate && predictions_[*candidate]) step_time = predictions_[*candidate]->step_time;
  return mean(overheads_) + epoch_seconds(settings, step_time);
}

double TuneEvidence::epoch_seconds(const Settings& settings, double step_time) const {
  auto steps = static_cast<double>(options_.steps);
  if (step_time > 0.0) {
    const double fit = std::ceil(options_.window_seconds / step_time);
    steps = std::min(steps, std::max(static_cast<double>(options_.least_steps), fit));
  }
  const EpochPlan plan = steady_epoch(loop_settings(settings), static_cast<std::size_t>(steps));
  return static_cast<double>(plan.batches) * step_time;
}

bool TuneEvidence::may_start(std::size_t candidate) const {
  if (has_failed(cell_of(candidate))) return false;
  return predictions_[candidate] && ranking_->starts(candidate) < options_.most_starts;
}

// ---- answers ----

bool TuneEvidence::is_sure() const {
  const double risk = 1.0 - options_.goals.confidence;
  return 1.0 - ranking_->confidence.within <= kRiskPerTest * risk;
}

RatioVerdict TuneEvidence::compare(std::span<const double> differences) const {
  return compare_rounds(differences, ranking_->deviations.noise, ranking_->deviations.noise_freedom,
                        options_.goals.confidence, options_.goals.tolerance);
}

RateOf TuneEvidence::rate_of(std::size_t candidate) const {
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

std::vector<RateOf> TuneEvidence::rates() const {
  std::vector<RateOf> rates(candidates_.size());
  for (std::size_t i = 0; ranking_ && i < rates.size(); ++i) rates[i] = rate_of(i);
  return rates;
}

std::vector<std::optional<Prediction>> TuneEvidence::predictions() const {
  std::vector<std::optional<Prediction>> predictions = predictions_;
  for (std::size_t i = 0; i < predictions.size(); ++i) {
    if (has_failed(cell_of(i))) predictions[i].reset();
    if (!predictions[i] || !ranking_) continue;
    const double faster = std::exp(ranking_->means[i]) / predictions[i]->rate;
    predictions[i]->rate *= faster;
    predictions[i]->step_time /= faster;
  }
  return predictions;
}

Decision TuneEvidence::decision() const {
  Decision decision;
  const std::size_t best = ranking_->chosen;
  decision.recommended = rate_of(best);
  decision.runner_up_needs_conversion = ranking_->conversion.has_value();
  decision.present_is_best = options_.goals.present == best;
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
  if (predictions_[best]) {
    const double limit = predictions_[best]->trainer_limit;
    if (std::isfinite(limit)) decision.trainer_limit = limit;
    decision.first_batch_time = predictions_[best]->first_batch_time;
  }
  return decision;
}

}  // namespace feedrate
