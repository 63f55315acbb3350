// SPDX-License-Identifier: Apache-2.0
#include "training/in_place_tuner.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "analysis/aggregate.h"
#include "bench/engines/protocol.h"
#include "core/statistics.h"
#include "training/in_place_model.h"
#include "training/results.h"
#include "training/segment.h"

namespace feedrate {
namespace {

constexpr double kSurelyWorse = 1.3;
constexpr double kSure = 2.0;                 // Standard errors.
constexpr std::size_t kLeastTurns = 3;        // For a standard error.
constexpr double kOneSegment = 0.25;          // Share of the bound.
constexpr std::size_t kMostInterrupted = 10;  // Segments of a trial.

WatchedLoader with_cpus(WatchedLoader watched, std::size_t cpus) {
  if (cpus > 0) watched.process.cpus = cpus;
  return watched;
}

}  // namespace

InPlaceTuner::InPlaceTuner(const WatchedLoader& now, const InPlaceAims& aims,
                           const LoaderTotals& begin, Limits limits)
    : aims_(aims),
      limits_(std::move(limits)),
      present_(with_cpus(since(now, begin), limits_.cpus)),
      loaders_(in_place_candidates(present_, limits_.most_outstanding)),
      starts_(loaders_.size()),
      epoch_length_(epoch_length(present_)) {
  const std::vector<LoggedStep> steady = steady_steps(present_);
  const Measurement seen = measurement_of(steady);
  burst_ = burst_of(steady);
  best_step_ = step_of(seen);
  samples_ = static_cast<double>(steady.back().samples);
  std::vector<Candidate> candidates;
  for (const ScriptLoader& loader : loaders_) {
    candidates.push_back({candidates.size(), settings_of(loader), 0.0});
    CellResult& cell = cells_.emplace_back();
    cell.index = cells_.size() - 1;
    cell.settings = candidates.back().settings;
  }
  TunerOptions options;
  options.goals.confidence = aims.confidence;
  options.goals.tolerance = aims.tolerance;
  options.goals.present = 0;
  options.goals.noise = noise_of(seen, unit_steps());
  options.cores = static_cast<double>(present_.process.cpus);
  options.predict = [this, model = InPlaceModel(present_)](std::span<const Candidate> all,
                                                           std::span<const CellResult> measured) {
    std::vector<std::optional<Prediction>> predictions = model.predict(all, measured);
    predict_whole_epochs(predictions);
    return predictions;
  };
  const std::vector<Settings> probes{candidates.front().settings};
  tuner_.emplace(std::move(candidates), probes, options, make_expensive_start_policy());
  const double start = start_seconds(present_, best_step_);
  if (present_.loader.num_workers > 0) known_start_ = {present_.loader.num_workers, start};
  for (const Measurement& half : halves_of(seen, unit_steps())) {
    add_start(half, std::nullopt, start);
  }
}

void InPlaceTuner::update_group(const Watch& watch) {
  const WatchedLoader* const now = current(watch);
  if (now != nullptr) present_.batches_per_step = now->batches_per_step;
}

std::optional<ScriptLoader> InPlaceTuner::advance(const Watch& watch) {
  const WatchedLoader* const now = current(watch);
  if (stage_ == Stage::kOver) return std::nullopt;
  if (stage_ == Stage::kFailed) {
    if (totals(watch).steps == failed_.steps) return std::nullopt;
    charge_failure(watch);
    return next(watch);
  }
  if (now == nullptr) return std::nullopt;
  if (stage_ == Stage::kStarting) {
    first_ = now->steps;
    begun_ = switched_ = totals(watch);
    return next(watch);
  }
  if (stage_ == Stage::kSwitching) {
    first_ = now->resumed;
    switched_ = totals(watch);
    stage_ = Stage::kFirstStep;
    return std::nullopt;
  }
  if (stage_ == Stage::kFirstStep) {
    if (totals(watch).steps == switched_.steps) return std::nullopt;
    switched_ = totals(watch);
    stage_ = Stage::kMeasuring;
  }
  return measure(*now, watch);
}

// A pause ends a segment if its steps suffice; else the segment begins again.
std::optional<ScriptLoader> InPlaceTuner::measure(const WatchedLoader& now, const Watch& watch) {
  std::vector<LoggedStep> steps = steady_steps(now, first_);
  bool is_whole = steps.size() >= segment_steps() && !awaits_epoch(now, watch);
  if (std::vector<LoggedStep> before = steady_steps(now, first_, now.resumed); !before.empty()) {
    steps = std::move(before);
    steps.resize(steps.size() / unit_steps() * unit_steps());
    is_whole = steps.size() >= kLeastKept;
    if (!is_whole && ++interrupted_ <= kMostInterrupted) {
      first_ = now.resumed;
      return std::nullopt;
    }
  }
  const Measurement segment = measurement_of(steps, batch_size_share(now.loader, present_.loader));
  const bool is_too_slow =
      totals(watch).steps >= switched_.steps + burst_ &&
      cost_since(switched_, watch) > kOneSegment * aims_.bound * bound_seconds(best_step_);
  const bool is_hopeless = interrupted_ > kMostInterrupted;
  if (!is_whole && !is_surely_worse(segment) && !is_too_slow && !is_hopeless) return std::nullopt;
  end_segment(watch, now, segment);
  first_ = now.steps;
  return next(watch);
}

// A successor may have another batch size.
const WatchedLoader* InPlaceTuner::current(const Watch& watch) const {
  const ScriptLoader& wanted = loaders_[candidate_];
  for (const WatchedLoader& watched : watch.loaders()) {
    if (watched.process.id == present_.process.id && watched.is_current &&
        is_one_loader(watched.loader, wanted) && has_settings_of(watched.loader, wanted)) {
      return &watched;
    }
  }
  return nullptr;
}

// Whole turns of the workers, whole accumulated steps and whole bursts.
std::size_t InPlaceTuner::unit_steps() const {
  return round_up(burst_, block_of(loaders_[candidate_], present_.batches_per_step));
}

std::size_t InPlaceTuner::segment_steps() const {
  const std::size_t wanted = std::max(
      {kLeastKept, 2 * most_outstanding(loaders_[candidate_]), burst_ > 1 ? 2 * burst_ : 0});
  return round_up(wanted, unit_steps());
}

bool InPlaceTuner::is_surely_worse(const Measurement& segment) const {
  const std::size_t unit = unit_steps();
  if (segment.kept.size() < kLeastTurns * unit) return false;
  return step_of(segment) - kSure * step_error(segment, unit) > kSurelyWorse * best_step_;
}

void InPlaceTuner::end_segment(const Watch& watch, const WatchedLoader& now,
                               const Measurement& segment) {
  if (!segment.kept.empty()) {
    best_step_ = std::min(best_step_, step_of(segment));
  }
  // This includes the switch: the steps in which workers start have the previous settings.
  charge(cost_since(begun_, watch));
  begun_ = switched_ = totals(watch);
  if (segment.kept.empty()) {
    add_failure(candidate_, interrupted_ > kMostInterrupted
                                ? "given up: pauses come too often to measure it between them"
                                : "given up: too slow to be measured at the cost that is allowed");
  } else {
    const double start = measured_start(now, step_of(segment));
    const bool is_seen = now.epoch_starts.count > 0 && now.loader.num_workers > 0;
    if (is_seen) known_start_ = {now.loader.num_workers, start};
    add_start(segment, round_, start);
  }
}

void InPlaceTuner::add_start(const Measurement& segment, std::optional<std::size_t> round,
                             double start) {
  CellResult& cell = cells_[candidate_];
  starts_[candidate_] = start;
  cell.outcome = Outcome::kOk;
  Repeat repeat = summarize(segment);
  const double step = step_of(segment);
  for (Metric& metric : repeat.metrics) {
    if (metric.tag == "samples_per_second") metric.value *= step / (step + start_share(start));
  }
  cell.repeats.push_back(std::move(repeat));
  cell.repeats.back().round = round;
  cell.metrics = combine(cell.repeats);
  tuner_->add(cell, 0.0);
}

void InPlaceTuner::add_failure(std::size_t candidate, const std::string& reason) {
  failures_.push_back({candidate, reason});
  exclude(candidate, reason);
}

void InPlaceTuner::exclude(std::size_t candidate, const std::string& reason) {
  CellResult& cell = cells_[candidate];
  cell.outcome = Outcome::kFailed;
  cell.reason = reason;
  tuner_->add(cell, 0.0);
}

void InPlaceTuner::fail(const std::string& problem, const Watch& watch) {
  const bool was_over = stage_ == Stage::kOver;
  add_failure(candidate_, problem);
  failed_ = totals(watch);
  if (was_over) {  // The time since its request is no cost of trying.
    begun_ = failed_;
    asked_at_ = watch.now();
  }
  stage_ = Stage::kFailed;
  candidate_ = 0;
}

std::optional<ScriptLoader> InPlaceTuner::refuse(const std::string& problem, const Watch& watch) {
  add_failure(candidate_, problem);
  return next(watch);
}

std::optional<ScriptLoader> InPlaceTuner::give_up(const std::string& problem) {
  why_given_up_ = problem;
  stage_ = Stage::kOver;
  candidate_ = 0;
  return loaders_.front();
}

std::optional<ScriptLoader> InPlaceTuner::next(const Watch& watch) {
  const std::size_t before = candidate_;
  const std::optional<std::size_t> wanted = next_candidate();
  if (wanted) {
    candidate_ = *wanted;
    interrupted_ = 0;
    asked_at_ = watch.now();
    stage_ = candidate_ == before ? Stage::kMeasuring : Stage::kSwitching;
  } else {
    stage_ = Stage::kOver;
    candidate_ = chosen();
  }
  if (candidate_ != before) return loaders_[candidate_];
  return std::nullopt;
}

}  // namespace feedrate
