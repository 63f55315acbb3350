// SPDX-License-Identifier: Apache-2.0
#include "training/tuning.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "analysis/aggregate.h"
#include "bench/engines/protocol.h"
#include "core/format.h"
#include "core/statistics.h"
#include "training/in_place_model.h"
#include "training/results.h"
#include "training/segment.h"
#include "training/verdict.h"

namespace feedrate {
namespace {

constexpr double kSurelyWorse = 1.3;
constexpr double kSure = 2.0;           // Standard errors.
constexpr std::size_t kLeastTurns = 3;  // Without which there is none.
// Of the interval's half, at 95 %: as much as to be 80 % sure.
constexpr double kFasterEnough = 0.43;
constexpr double kOneSegment = 0.25;  // Of the bound.
constexpr double kUnlimited = 1e9;    // Seconds: the bound is on what it costs.

constexpr std::size_t kMostInterrupted = 10;  // Segments of a trial.

// Seconds until workers have a first batch, before any was seen: of a fork, and of a start method
// that imports the script again.
constexpr double kFork = 0.1;
constexpr double kForkOfOne = 0.02;
constexpr double kImport = 1.5;

std::size_t round_up(std::size_t steps, std::size_t unit) {
  return (steps + unit - 1) / unit * unit;
}

double share_of(const ScriptLoader& loader, const ScriptLoader& present) {
  const auto size = static_cast<double>(loader.batch_size.value_or(0));
  const auto usual = static_cast<double>(present.batch_size.value_or(0));
  return size > 0.0 && usual > 0.0 ? size / usual : 1.0;
}

WatchedLoader with_cpus(WatchedLoader watched, std::size_t cpus) {
  if (cpus > 0) watched.process.cpus = cpus;
  return watched;
}

bool waits_for_nothing(const WatchedLoader& watched) {
  const std::optional<LoaderVerdict> verdict = judge(watched);
  return verdict && !verdict->is_taken_by_a_thread && verdict->stall <= kNothingToWin;
}

}  // namespace

bool is_ready_to_tune(const WatchedLoader& present, const InPlaceAims& aims) {
  constexpr double kFew = 5.0;
  constexpr double kMany = 20.0;
  constexpr std::size_t kBursts = 4;
  const std::optional<StepTimes> times = steady_times(present);
  if (!times) return false;
  const auto wanted = static_cast<std::size_t>(
      std::clamp(kFew / std::max(times->loading_share(), 1e-9), kFew, kMany));
  const bool is_worth_it =
      static_cast<double>(aims.bound_steps) * times->step() >= aims.least_seconds ||
      present.seconds >= aims.least_seconds;
  if (!is_worth_it || present.steady.size() < wanted) return false;
  const std::size_t burst = burst_of(present.steady);
  const std::size_t block = block_of(present.loader, present.batches_per_step);
  return present.steady.size() >= std::max(2 * block, burst > 1 ? kBursts * burst : 0);
}

InPlaceTuner::InPlaceTuner(const WatchedLoader& now, const InPlaceAims& aims,
                           const StepsSoFar& begin, Limits limits)
    : aims_(aims),
      limits_(std::move(limits)),
      present_(with_cpus(since(now, begin), limits_.cpus)),
      loaders_(in_place_candidates(present_, limits_.most_outstanding)),
      starts_(loaders_.size()),
      epoch_length_(epoch_length(present_)),
      burst_(burst_of(present_.steady)),
      best_step_(step_of(measurement_of(present_.steady))) {
  std::vector<Candidate> candidates;
  for (const ScriptLoader& loader : loaders_) {
    candidates.push_back({candidates.size(), settings_of(loader), 0.0});
    CellResult& cell = cells_.emplace_back();
    cell.index = cells_.size() - 1;
    cell.settings = candidates.back().settings;
  }
  const Measurement seen = measurement_of(present_.steady);
  TunerOptions options;
  options.goals.confidence = aims.confidence;
  options.goals.tolerance = aims.tolerance;
  options.goals.present = 0;
  options.goals.noise = noise_of(seen, unit_steps());
  options.goals.is_thrifty = true;
  options.cores = static_cast<double>(present_.process.cpus);
  options.predict = [this, model = InPlaceModel(present_)](std::span<const Candidate> all,
                                                           std::span<const CellResult> measured) {
    std::vector<std::optional<Prediction>> predictions = model.predict(all, measured);
    predict_whole_epochs(predictions);
    return predictions;
  };
  const std::vector<Settings> probes{candidates.front().settings};
  tuner_.emplace(std::move(candidates), probes, options);
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
    begin_ = steps_so_far(*now);
    begun_ = switched_ = totals(watch);
    return next(watch);
  }
  if (stage_ == Stage::kSwitching) {
    begin_.steady = now->resumed;
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

// A pause ends a segment: with what there is, where that is enough, else it begins anew.
std::optional<ScriptLoader> InPlaceTuner::measure(const WatchedLoader& now, const Watch& watch) {
  std::span<const StepMarks> steps = steady_since(now, begin_);
  bool is_whole = steps.size() >= segment_steps() && !awaits_epoch(now, watch);
  if (now.resumed > begin_.steady) {
    steps = steps.first(std::min(steps.size(), now.resumed - begin_.steady));
    steps = steps.first(steps.size() / unit_steps() * unit_steps());
    is_whole = steps.size() >= kLeastKept;
    if (!is_whole && ++interrupted_ <= kMostInterrupted) {
      begin_.steady = now.resumed;
      return std::nullopt;
    }
  }
  const Measurement segment = measurement_of(steps, share_of(now.loader, present_.loader));
  const bool is_too_slow =
      totals(watch).steps >= switched_.steps + burst_ &&
      cost_since(switched_, watch) > kOneSegment * aims_.bound * bound_seconds(best_step_);
  const bool is_hopeless = interrupted_ > kMostInterrupted;
  if (!is_whole && !is_surely_worse(segment) && !is_too_slow && !is_hopeless) return std::nullopt;
  end_segment(watch, now, segment);
  begin_ = steps_so_far(now);
  return next(watch);
}

double InPlaceTuner::cost_since(const Totals& begin, const Watch& watch) const {
  const Totals now = totals(watch);
  double cost = now.seconds - begin.seconds - (now.shares - begin.shares) * best_step_;
  if (!epoch_length_) return cost;
  // Epochs begin with first batches at the script's own settings, too.
  StepSums own = present_.first_batches;
  if (own.epochs > 1) {
    own.loading -= to_seconds(present_.measurement.epochs.front().first_batch);
    --own.epochs;
  }
  const double usual = own.epochs > 0 ? own.loading / static_cast<double>(own.epochs) : 0.0;
  const StepSums& first = now.first_batches;
  cost += first.loading - begin.first_batches.loading -
          usual * static_cast<double>(first.epochs - begin.first_batches.epochs);
  return cost;
}

InPlaceTuner::Totals InPlaceTuner::totals(const Watch& watch) const {
  Totals all;
  for (const WatchedLoader& watched : watch.loaders()) {
    const bool is_same =
        watched.process.id == present_.process.id && is_one_loader(watched.loader, present_.loader);
    if (!is_same) continue;
    all.steps += watched.steps;
    all.shares += share_of(watched.loader, present_.loader) * static_cast<double>(watched.steps);
    all.seconds += watched.seconds;
    all.paused += watched.paused;
    all.first_batches += watched.first_batches;
  }
  return all;
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

// Whole turns of the workers and whole accumulated steps, with the usual bursts.
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
  // Of the switch, too: the steps in which workers start have the settings of before.
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

// A switch within an epoch hides the start, where the training process loads until workers are
// there.
double InPlaceTuner::measured_start(const WatchedLoader& now, double step) const {
  const double start = start_seconds(now, step);
  return now.epoch_starts.count == 0 ? std::max(start, start_of(candidate_)) : start;
}

// Whether its steps are of use only with what its start takes, which the begin of an epoch will
// show soon.
bool InPlaceTuner::awaits_epoch(const WatchedLoader& now, const Watch& watch) const {
  constexpr double kMostEpochs = 2.0;
  constexpr double kShort = 0.25;  // Of the time that the bound is a share of.
  const bool has_known = known_start_ || now.epoch_starts.count > 0 || now.loader.num_workers == 0;
  if (has_known || !epoch_length_) return false;
  const auto batches = static_cast<double>(totals(watch).steps - begun_.steps);
  return *epoch_length_ * best_step_ <= kShort * bound_seconds(best_step_) &&
         batches < kMostEpochs * *epoch_length_ &&
         start_share(start_of(candidate_)) > aims_.tolerance * best_step_;
}

void InPlaceTuner::charge(double seconds) {
  const double cost = std::max(0.0, seconds);
  cost_ += cost;
  dearest_ = std::max(dearest_, cost);
}

// The steps in which the loader stood still are not all told: the clock is.
void InPlaceTuner::charge_failure(const Watch& watch) {
  const Totals now = totals(watch);
  charge(to_seconds(watch.now() - asked_at_) - (now.paused - begun_.paused) -
         (now.shares - begun_.shares) * best_step_);
  begun_ = switched_ = now;
}

double InPlaceTuner::start_share(double start) const {
  return epoch_length_ ? start / *epoch_length_ : 0.0;
}

void InPlaceTuner::predict_whole_epochs(std::vector<std::optional<Prediction>>& predictions) const {
  for (std::size_t i = 0; i < predictions.size(); ++i) {
    if (!predictions[i]) continue;
    const double step = predictions[i]->step_time;
    predictions[i]->rate *= step / (step + start_share(start_of(i)));
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
  if (was_over) {  // What it took since it was asked for is no cost of trying.
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

bool InPlaceTuner::has_measured_others() const {
  return std::any_of(cells_.begin() + 1, cells_.end(),
                     [](const CellResult& cell) { return !cell.repeats.empty(); });
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

// Nothing: tuning is over.
std::optional<std::size_t> InPlaceTuner::next_candidate() {
  while (const std::optional<StartRequest> request = tuner_->next(kUnlimited)) {
    if (waits_for_nothing(present_)) return std::nullopt;
    const auto cell = std::find_if(cells_.begin(), cells_.end(), [&](const CellResult& one) {
      return one.settings == request->settings;
    });
    const std::size_t wanted = cell->index;
    round_ = request->round;
    if (!starts_[wanted] && start_of(wanted) > bound_of(wanted)) {
      why_too_dear_ = fmt::format(
          "starting workers by {} takes about {}, more than the bound of {}",
          start_method(loaders_[wanted]), format_value(start_of(wanted), Unit::kSeconds),
          format_value(bound_of(wanted), Unit::kSeconds));
      exclude(wanted, why_too_dear_);
      continue;
    }
    const std::size_t most =
        limits_.most_workers ? limits_.most_workers() : loaders_[wanted].num_workers;
    const std::size_t possible =
        loaders_[wanted].num_workers > most ? first_with(most).value_or(wanted) : wanted;
    return is_affordable(possible) ? std::optional(possible) : std::nullopt;
  }
  return std::nullopt;
}

std::optional<std::size_t> InPlaceTuner::first_with(std::size_t workers) const {
  for (std::size_t i = 0; i < loaders_.size(); ++i) {
    const bool is_new = cells_[i].repeats.empty() && cells_[i].outcome != Outcome::kFailed;
    if (is_new && loaders_[i].num_workers == workers) return i;
  }
  return std::nullopt;
}

double InPlaceTuner::start_of(std::size_t candidate) const {
  const std::size_t workers = loaders_[candidate].num_workers;
  if (workers == 0) return 0.0;
  if (starts_[candidate]) return *starts_[candidate];
  const KnownStart known = known_start_.value_or(KnownStart{});
  if (start_method(loaders_[candidate]) == "fork") {
    const auto more = static_cast<double>(workers - std::min(workers, known.workers));
    return std::max(known.seconds, kFork) + kForkOfOne * more;
  }
  // Each imports the script, on the CPUs that there are.
  const std::size_t cpus = std::max<std::size_t>(1, present_.process.cpus);
  const auto turns_of = [&](std::size_t all) {
    return static_cast<double>(round_up(std::max<std::size_t>(all, 1), cpus)) /
           static_cast<double>(cpus);
  };
  return std::max(known.seconds > 0.0 ? known.seconds : kImport, kFork) *
         std::max(1.0, turns_of(workers) / turns_of(known.workers));
}

// Seconds of a step of whole epochs, as far as is known.
double InPlaceTuner::expected_step(std::size_t candidate) const {
  const std::vector<RateOf> rates = tuner_->rates();
  const auto rate = std::find_if(rates.begin(), rates.end(),
                                 [&](const RateOf& one) { return one.candidate == candidate; });
  if (rate == rates.end() || !(rate->expected > 0.0)) return best_step_;
  return static_cast<double>(present_.steady.back().samples) / rate->expected;
}

// What is faster lowers the bound: it is a share of the time of the best settings' steps.
double InPlaceTuner::bound_of(std::size_t candidate) const {
  return aims_.bound * bound_seconds(std::min(expected_step(candidate), best_step_));
}

// Whether a switch to it and a segment fit the bound, also where they cost what the dearest did.
bool InPlaceTuner::is_affordable(std::size_t candidate) const {
  const auto steps = static_cast<double>(most_outstanding(loaders_[candidate]) + kLeastKept);
  const double start = candidate == candidate_ ? 0.0 : start_of(candidate);
  const double expected = start + std::max(0.0, expected_step(candidate) - best_step_) * steps;
  return cost_ + std::max(dearest_, expected) <= bound_of(candidate);
}

std::size_t InPlaceTuner::chosen() const {
  if (!why_given_up_.empty()) return 0;
  const std::optional<Decision> decided = decision();
  if (decided && decided->recommended.starts > 0) {
    return is_faster(*decided) ? decided->recommended.candidate : 0;
  }
  const RateOf* best = nullptr;
  const std::vector<RateOf> rates = tuner_->rates();
  for (const RateOf& rate : rates) {
    if (rate.starts > 0 && (best == nullptr || rate.expected > best->expected)) best = &rate;
  }
  return best == nullptr ? 0 : best->candidate;
}

// What is recommended may be as fast as the settings of the script, and cheaper: no reason to
// change these.
bool InPlaceTuner::is_faster(const Decision& decided) const {
  if (!decided.present) return false;
  const RatioVerdict& gain = decided.present->recommended_to_it;
  if (gain.rounds == 0) return true;  // The script's own were given up: too slow to be measured.
  const double half = 0.5 * std::log(gain.interval.high / gain.interval.low);
  return std::log(gain.ratio) > std::max(std::log1p(aims_.tolerance), kFasterEnough * half);
}

double InPlaceTuner::bound_seconds(double step) const {
  return std::max(aims_.least_seconds, static_cast<double>(aims_.bound_steps) * step);
}

double InPlaceTuner::cost_share() const { return cost_ / bound_seconds(best_step_); }

}  // namespace feedrate
