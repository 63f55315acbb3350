// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "core/format.h"
#include "training/in_place_tuner.h"
#include "training/segment.h"
#include "training/wait_verdict.h"

namespace feedrate {
namespace {

// Expected seconds until new workers have a first batch: of a fork, and of a start method that
// imports the script again.
constexpr double kFork = 0.1;
constexpr double kForkOfOne = 0.02;
constexpr double kImport = 1.5;

// Share of half the 95 % interval that gives 80 % certainty.
constexpr double kFasterEnough = 0.43;
constexpr double kUnlimited = 1e9;  // Seconds: the cost is bounded, not the time.

bool waits_for_nothing(const WatchedLoader& watched) {
  const std::optional<WaitVerdict> verdict = judge(watched);
  return verdict && !verdict->is_taken_by_a_thread && verdict->stall <= kNothingToWin;
}

}  // namespace

bool is_ready_to_tune(const WatchedLoader& present, const InPlaceAims& aims,
                      const LoaderTotals& begin) {
  constexpr double kFew = 5.0;
  constexpr double kMany = 20.0;
  constexpr std::size_t kBursts = 4;
  const std::vector<LoggedStep> steady = steady_steps(present, begin.steps);
  const std::optional<StepTimes> times = steady_times(present, steady);
  if (!times) return false;
  const auto wanted = static_cast<std::size_t>(
      std::clamp(kFew / std::max(times->loading_share(), 1e-9), kFew, kMany));
  const bool is_worth_it =
      static_cast<double>(aims.bound_steps) * times->step() >= aims.least_seconds ||
      present.seconds - begin.seconds >= aims.least_seconds;
  if (!is_worth_it || steady.size() < wanted) return false;
  const std::size_t burst = burst_of(steady);
  const std::size_t block = block_of(present.loader, present.batches_per_step);
  return steady.size() >= std::max(2 * block, burst > 1 ? kBursts * burst : 0);
}

double InPlaceTuner::cost_since(const Totals& begin, const Watch& watch) const {
  const Totals now = totals(watch);
  double cost = now.seconds - begin.seconds - (now.shares - begin.shares) * best_step_;
  if (!epoch_length_) return cost;
  // Epochs have first batches with the script's own settings, too.
  StepSums own = present_.first_batches;
  if (own.epochs > 1) {
    own.loading -= to_seconds(present_.epochs.front().first_batch);
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
    if (!is_one_loader(watched, present_)) continue;
    all.steps += watched.steps;
    all.shares +=
        batch_size_share(watched.loader, present_.loader) * static_cast<double>(watched.steps);
    all.seconds += watched.seconds;
    all.paused += watched.paused;
    all.first_batches += watched.first_batches;
  }
  return all;
}

// A switch within an epoch hides the start: the training process loads until workers are ready.
double InPlaceTuner::measured_start(const WatchedLoader& now, double step) const {
  const double start = start_seconds(now, step);
  return now.epoch_starts.count == 0 ? std::max(start, start_of(candidate_)) : start;
}

// Whether the time of its start matters, and the begin of an epoch will soon show it.
bool InPlaceTuner::awaits_epoch(const WatchedLoader& now, const Watch& watch) const {
  constexpr double kMostEpochs = 2.0;
  constexpr double kShort = 0.25;  // Share of bound_seconds().
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

// The steps in which the loader stood still are not all reported, so the clock counts.
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

double InPlaceTuner::start_of(std::size_t candidate) const {
  const std::size_t workers = loaders_[candidate].num_workers;
  if (workers == 0) return 0.0;
  if (starts_[candidate]) return *starts_[candidate];
  const KnownStart known = known_start_.value_or(KnownStart{});
  if (start_method(loaders_[candidate]) == "fork") {
    const auto more = static_cast<double>(workers - std::min(workers, known.workers));
    return std::max(known.seconds, kFork) + kForkOfOne * more;
  }
  // Each imports the script; as many at a time as there are CPUs.
  const std::size_t cpus = std::max<std::size_t>(1, present_.process.cpus);
  const auto turns_of = [&](std::size_t all) {
    return static_cast<double>(round_up(std::max<std::size_t>(all, 1), cpus)) /
           static_cast<double>(cpus);
  };
  return std::max(known.seconds > 0.0 ? known.seconds : kImport, kFork) *
         std::max(1.0, turns_of(workers) / turns_of(known.workers));
}

// Expected seconds of a step, over whole epochs.
double InPlaceTuner::expected_step(std::size_t candidate) const {
  const std::vector<RateOf> rates = tuner_->rates();
  const auto rate = std::find_if(rates.begin(), rates.end(),
                                 [&](const RateOf& one) { return one.candidate == candidate; });
  if (rate == rates.end() || !(rate->expected > 0.0)) return best_step_;
  return samples_ / rate->expected;
}

// A faster candidate lowers the bound, a share of the time of the best settings' steps.
double InPlaceTuner::bound_of(std::size_t candidate) const {
  return aims_.bound * bound_seconds(std::min(expected_step(candidate), best_step_));
}

// Whether a switch to it and a segment fit the bound, even at the highest cost of a segment.
bool InPlaceTuner::is_affordable(std::size_t candidate) const {
  const auto steps = static_cast<double>(most_outstanding(loaders_[candidate]) + kLeastKept);
  const double start = candidate == candidate_ ? 0.0 : start_of(candidate);
  const double expected = start + std::max(0.0, expected_step(candidate) - best_step_) * steps;
  return cost_ + std::max(dearest_, expected) <= bound_of(candidate);
}

double InPlaceTuner::bound_seconds(double step) const {
  return std::max(aims_.least_seconds, static_cast<double>(aims_.bound_steps) * step);
}

double InPlaceTuner::cost_share() const { return cost_ / bound_seconds(best_step_); }

// Returns nothing at the end of the tuning.
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

// The recommended settings may be only cheaper than the script's own, which is no reason to change.
bool InPlaceTuner::is_faster(const Decision& decided) const {
  if (!decided.present) return false;
  const RatioVerdict& gain = decided.present->recommended_to_it;
  if (gain.rounds == 0) return true;  // The script's own were too slow to be measured.
  const double half = 0.5 * std::log(gain.interval.high / gain.interval.low);
  return std::log(gain.ratio) > std::max(std::log1p(aims_.tolerance), kFasterEnough * half);
}

}  // namespace feedrate
