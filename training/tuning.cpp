// SPDX-License-Identifier: Apache-2.0
#include "training/tuning.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "analysis/aggregate.h"
#include "core/statistics.h"
#include "engines/summarize.h"
#include "training/in_place_model.h"
#include "training/results.h"

namespace feedrate {
namespace {

constexpr std::size_t kLeastKept = 10;
constexpr double kSurelyWorse = 1.3;
constexpr double kSure = 2.0;           // Standard errors.
constexpr std::size_t kLeastTurns = 3;  // Without which there is none.
// Of the interval's half, at 95 %: as much as to be 80 % sure.
constexpr double kFasterEnough = 0.43;
constexpr double kOneSegment = 0.25;  // Of the bound.
constexpr double kLeastNoise = 0.01;  // From segment to segment.
constexpr double kUnlimited = 1e9;    // Seconds: the bound is on what it costs.

// More than this keep no more CPUs busy; of those that only wait, four a CPU are the most.
std::size_t most_workers(const WatchedLoader& watched) {
  constexpr double kLeastShare = 0.25;
  const double share = watched.fetch_wall > 0.0 ? watched.fetch_cpu / watched.fetch_wall : 1.0;
  const auto cpus = static_cast<double>(watched.process.cpus);
  return static_cast<std::size_t>(std::lround(cpus / std::clamp(share, kLeastShare, 1.0)));
}

std::vector<std::size_t> worker_counts(std::size_t present, std::size_t most) {
  std::set<std::size_t> counts{0, 1, 2, 3, present};
  for (std::size_t count = 4; count <= most; count += std::max<std::size_t>(2, count / 4)) {
    counts.insert(count);
  }
  counts.insert(most);
  std::erase_if(counts, [&](std::size_t count) { return count > std::max(most, present); });
  return {counts.begin(), counts.end()};
}

// Whole turns: the first half of them and the second.
std::vector<Measurement> halves_of(const Measurement& measurement, std::size_t turn) {
  const std::size_t turns = measurement.kept.size() / turn;
  if (turns < 2) return {measurement};
  const auto begin = measurement.kept.begin();
  const auto middle = begin + static_cast<std::ptrdiff_t>(turns / 2 * turn);
  std::vector<Measurement> halves(2);
  halves[0].kept.assign(begin, middle);
  halves[1].kept.assign(middle, begin + static_cast<std::ptrdiff_t>(turns * turn));
  return halves;
}

std::vector<double> seconds_of_turns(const Measurement& measurement, std::size_t turn) {
  std::vector<double> seconds;
  for (std::size_t end = turn; end <= measurement.kept.size(); end += turn) {
    seconds.push_back(
        to_seconds(measurement.kept[end - 1].trained - measurement.kept[end - turn].asked));
  }
  return seconds;
}

double seconds_of(const Measurement& measurement) {
  return to_seconds(measurement.kept.back().trained - measurement.kept.front().asked);
}

// A mean, as segments have it: where few steps are long, their median is far from it.
double step_of(const Measurement& measurement) {
  return seconds_of(measurement) / static_cast<double>(measurement.kept.size());
}

// Of step_of(), by how the turns differ.
double step_error(const Measurement& measurement, std::size_t turn) {
  const std::vector<double> seconds = seconds_of_turns(measurement, turn);
  return sample_stddev(seconds) / static_cast<double>(turn) /
         std::sqrt(static_cast<double>(seconds.size()));
}

// From segment to segment, of the logarithm of the rate, before two of one setting are known: the
// standard error of a segment's mean, by what the turns of `measurement` vary among themselves.
double noise_of(const Measurement& measurement, std::size_t turn) {
  const std::vector<double> seconds = seconds_of_turns(measurement, turn);
  if (seconds.size() < 3) return kLeastNoise;
  const double turns = std::max(1.0, static_cast<double>(kLeastKept) / static_cast<double>(turn));
  return std::max(kLeastNoise, sample_stddev(seconds) / mean(seconds) / std::sqrt(turns));
}

}  // namespace

bool is_ready_to_tune(const WatchedLoader& present, const InPlaceAims& aims) {
  constexpr double kFew = 5.0;
  constexpr double kMany = 20.0;
  const std::optional<StepTimes> times = step_times(present);
  if (!times) return false;
  const auto wanted = static_cast<std::size_t>(
      std::clamp(kFew / std::max(times->loading_share(), 1e-9), kFew, kMany));
  const bool is_worth_it =
      static_cast<double>(aims.bound_steps) * times->step() >= aims.least_seconds ||
      present.seconds >= aims.least_seconds;
  return is_worth_it &&
         present.measurement.kept.size() >= std::max(wanted, 2 * turn_of(present.loader));
}

std::vector<ScriptLoader> in_place_candidates(const WatchedLoader& present) {
  const ScriptLoader& own = present.loader;
  std::vector<ScriptLoader> all{own};
  const bool has_gpu = !present.gpu_busy.empty();
  for (const std::size_t workers : worker_counts(own.num_workers, most_workers(present))) {
    for (const std::size_t prefetch : {std::size_t{2}, std::size_t{4}}) {
      for (const bool pin : {own.pin_memory, true}) {
        ScriptLoader other = own;
        other.num_workers = workers;
        other.prefetch_factor = workers > 0 ? std::optional(prefetch) : std::nullopt;
        other.persistent_workers = workers > 0 && own.persistent_workers;
        other.pin_memory = pin && (has_gpu || own.pin_memory);
        const bool is_known = std::any_of(all.begin(), all.end(), [&](const ScriptLoader& known) {
          return settings_of(known) == settings_of(other);
        });
        if (!is_known) all.push_back(other);
      }
    }
  }
  return all;
}

InPlaceTuner::InPlaceTuner(const WatchedLoader& now, const InPlaceAims& aims,
                           const StepsSoFar& begin)
    : aims_(aims),
      present_(since(now, begin)),
      loaders_(in_place_candidates(present_)),
      best_step_(step_of(present_.measurement)) {
  std::vector<Candidate> candidates;
  for (const ScriptLoader& loader : loaders_) {
    candidates.push_back({candidates.size(), settings_of(loader), 0.0});
    CellResult& cell = cells_.emplace_back();
    cell.index = cells_.size() - 1;
    cell.settings = candidates.back().settings;
  }
  TunerOptions options;
  options.aims.confidence = aims.confidence;
  options.aims.tolerance = aims.tolerance;
  options.aims.present = 0;
  options.aims.noise = noise_of(present_.measurement, turn_of(present_.loader));
  options.aims.is_thrifty = true;
  options.cores = static_cast<double>(present_.process.cpus);
  options.predict = [model = InPlaceModel(present_)](std::span<const Candidate> all,
                                                     std::span<const CellResult> measured) {
    return model.predict(all, measured);
  };
  const std::vector<Settings> probes{candidates.front().settings};
  tuner_.emplace(std::move(candidates), probes, options);
  for (const Measurement& half : halves_of(present_.measurement, turn_of(present_.loader))) {
    add_start(half, std::nullopt);
  }
}

std::optional<ScriptLoader> InPlaceTuner::advance(const Watch& watch) {
  if (stage_ == Stage::kOver) return std::nullopt;
  const WatchedLoader* const now = current(watch);
  if (now == nullptr) return std::nullopt;
  if (stage_ == Stage::kStarting) {
    begin_ = steps_so_far(*now);
    begun_ = switched_ = totals(watch);
    return next();
  }
  if (stage_ == Stage::kSwitching) {
    begin_.kept = now->kept_before;
    switched_ = totals(watch);
    stage_ = Stage::kFirstStep;
    return std::nullopt;
  }
  if (stage_ == Stage::kFirstStep) {
    if (totals(watch).steps == switched_.steps) return std::nullopt;
    switched_ = totals(watch);
    stage_ = Stage::kMeasuring;
  }
  Measurement segment;
  const std::span<const StepMarks> kept = kept_since(*now, begin_);
  segment.kept.assign(kept.begin(), kept.end());
  const bool is_too_slow =
      cost_since(switched_, watch) > kOneSegment * aims_.bound * bound_seconds();
  if (segment.kept.size() < segment_steps() && !is_surely_worse(segment) && !is_too_slow) {
    return std::nullopt;
  }
  end_segment(watch, segment);
  begin_ = steps_so_far(*now);
  return next();
}

double InPlaceTuner::cost_since(const StepTotals& begin, const Watch& watch) const {
  const StepTotals now = totals(watch);
  return now.seconds - begin.seconds - static_cast<double>(now.steps - begin.steps) * best_step_;
}

// Of the loader at all of its settings.
InPlaceTuner::StepTotals InPlaceTuner::totals(const Watch& watch) const {
  StepTotals all;
  for (const WatchedLoader& watched : watch.loaders()) {
    const bool is_same =
        watched.process.id == present_.process.id && is_one_loader(watched.loader, present_.loader);
    if (!is_same) continue;
    all.steps += watched.steps;
    all.seconds += watched.seconds;
  }
  return all;
}

const WatchedLoader* InPlaceTuner::current(const Watch& watch) const {
  const Settings wanted = settings_of(loaders_[candidate_]);
  for (const WatchedLoader& watched : watch.loaders()) {
    if (watched.process.id == present_.process.id && watched.is_current &&
        is_one_loader(watched.loader, present_.loader) && settings_of(watched.loader) == wanted) {
      return &watched;
    }
  }
  return nullptr;
}

std::size_t InPlaceTuner::segment_steps() const {
  const std::size_t turn = turn_of(loaders_[candidate_]);
  const std::size_t wanted = std::max(kLeastKept, 2 * most_outstanding(loaders_[candidate_]));
  return (wanted + turn - 1) / turn * turn;
}

bool InPlaceTuner::is_surely_worse(const Measurement& segment) const {
  const std::size_t turn = turn_of(loaders_[candidate_]);
  if (segment.kept.size() < kLeastTurns * turn) return false;
  return step_of(segment) - kSure * step_error(segment, turn) > kSurelyWorse * best_step_;
}

void InPlaceTuner::end_segment(const Watch& watch, const Measurement& segment) {
  if (!segment.kept.empty()) {
    best_step_ = std::min(best_step_, step_of(segment));
  }
  // Of the switch, too: the steps in which workers start have the settings of before.
  const double cost = std::max(0.0, cost_since(begun_, watch));
  cost_ += cost;
  dearest_ = std::max(dearest_, cost);
  begun_ = switched_ = totals(watch);
  if (segment.kept.empty()) {
    add_failure("given up: too slow to be measured at the cost that is allowed");
  } else {
    add_start(segment, round_);
  }
}

void InPlaceTuner::add_start(const Measurement& segment, std::optional<std::size_t> round) {
  CellResult& cell = cells_[candidate_];
  cell.outcome = Outcome::kOk;
  cell.repeats.push_back(summarize(segment));
  cell.repeats.back().round = round;
  cell.metrics = combine(cell.repeats);
  tuner_->add(cell, 0.0);
}

void InPlaceTuner::add_failure(const std::string& reason) {
  CellResult& cell = cells_[candidate_];
  cell.outcome = Outcome::kFailed;
  cell.reason = reason;
  tuner_->add(cell, 0.0);
}

std::optional<ScriptLoader> InPlaceTuner::fail(const std::string& problem) {
  add_failure(problem);
  return next();
}

std::optional<ScriptLoader> InPlaceTuner::give_up(const std::string& problem) {
  why_given_up_ = problem;
  stage_ = Stage::kOver;
  candidate_ = 0;
  return loaders_.front();
}

std::optional<ScriptLoader> InPlaceTuner::next() {
  const std::optional<StartRequest> request =
      is_too_costly() ? std::nullopt : tuner_->next(kUnlimited);
  const std::size_t before = candidate_;
  if (request) {
    for (const CellResult& cell : cells_) {
      if (cell.settings == request->settings) candidate_ = cell.index;
    }
    round_ = request->round;
    stage_ = candidate_ == before ? Stage::kMeasuring : Stage::kSwitching;
  } else {
    stage_ = Stage::kOver;
    candidate_ = chosen();
  }
  if (candidate_ != before) return loaders_[candidate_];
  return std::nullopt;
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

// A segment more, if it costs what the dearest did.
bool InPlaceTuner::is_too_costly() const {
  return cost_ + dearest_ > aims_.bound * bound_seconds();
}

double InPlaceTuner::bound_seconds() const {
  return std::max(aims_.least_seconds, static_cast<double>(aims_.bound_steps) * best_step_);
}

double InPlaceTuner::cost_share() const { return cost_ / bound_seconds(); }

}  // namespace feedrate
