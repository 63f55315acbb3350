// SPDX-License-Identifier: Apache-2.0
#include "training/box.h"

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/format.h"
#include "core/statistics.h"
#include "training/verdict.h"

namespace feedrate {
namespace {

const char* python_bool(bool value) { return value ? "True" : "False"; }

// "num_workers=2 -> 6, pin_memory=False -> True".
std::string changes_text(const ScriptLoader& from, const ScriptLoader& to) {
  std::vector<std::string> changes;
  const auto add = [&](const char* name, const auto& before, const auto& after) {
    if (before != after) changes.push_back(fmt::format("{}={} -> {}", name, before, after));
  };
  add("num_workers", from.num_workers, to.num_workers);
  const std::size_t ahead = to.prefetch_factor.value_or(2);
  if (from.num_workers > 0 && to.num_workers > 0) {
    add("prefetch_factor", from.prefetch_factor.value_or(2), ahead);
  } else if (to.num_workers > 0 && ahead != 2) {
    changes.push_back(fmt::format("prefetch_factor={}", ahead));
  }
  if (from.pin_memory != to.pin_memory) {
    add("pin_memory", python_bool(from.pin_memory), python_bool(to.pin_memory));
  }
  return fmt::format("{}", fmt::join(changes, ", "));
}

constexpr std::size_t kFatParent = std::size_t{4} << 30;

using Lines = std::vector<std::string>;

std::string gain_text(const InPlaceTuner& tuner, const Decision& decision) {
  const std::size_t chosen = tuner.chosen();
  if (chosen == 0) return "the settings stay as they are; none was shown to be faster";
  std::string text = changes_text(tuner.settings(0), tuner.settings(chosen));
  const bool is_recommended = chosen == decision.recommended.candidate;
  if (is_recommended && decision.present && decision.present->recommended_to_it.rounds > 1) {
    const RatioVerdict& gain = decision.present->recommended_to_it;
    text += fmt::format(": {:.2f}x ({:.2f} to {:.2f})", gain.ratio, gain.interval.low,
                        gain.interval.high);
  }
  return text;
}

std::string claim_text(const InPlaceTuner& tuner, const Decision& decision) {
  std::string claim;
  if (tuner.chosen() == decision.recommended.candidate) {
    claim =
        fmt::format("{:.0f} %: within {:.0f} % of the best of {} settings",
                    100.0 * decision.confidence, 100.0 * decision.tolerance, decision.considered);
  } else if (tuner.chosen() == 0) {
    claim = fmt::format("none that was tried is known to be {:.0f} % faster; {} were considered",
                        100.0 * decision.tolerance, decision.considered);
  } else {
    claim =
        fmt::format("the best of those tried; {} settings were considered", decision.considered);
  }
  return fmt::format("{}; {} tried, which cost {}, {:.1f} % of {} steps", claim, decision.measured,
                     format_value(tuner.cost(), Unit::kSeconds), 100.0 * tuner.cost_share(),
                     format_value(static_cast<double>(tuner.aims().bound_steps), Unit::kCount));
}

void add_tuning(Lines& lines, const TrainingTuner& training, const InPlaceTuner& tuner) {
  const bool is_first = &tuner == &training.tunings().front();
  const std::optional<Decision> decision = tuner.decision();
  if (!decision) {
    lines.emplace_back("not tuned: the script ended too early");
    return;
  }
  if (!tuner.why_given_up().empty()) {
    lines.push_back("tuning was given up, the settings are as before: " + tuner.why_given_up());
    return;
  }
  lines.push_back((is_first ? "tuned: " : "tuned again, the wait had grown: ") +
                  gain_text(tuner, *decision));
  const WatchedLoader* const now = tuner.current(training.watch());
  const std::optional<LoaderVerdict> verdict = now == nullptr ? std::nullopt : judge(*now);
  if (verdict && tuner.is_over()) {
    lines.push_back(fmt::format("now: {}; {}", times_text(*now, *verdict), bound_name(*verdict)));
  }
  lines.push_back(claim_text(tuner, *decision));
  if (!tuner.is_over()) lines.emplace_back("the tuning was not over: more steps may change this");
}

// The line to change, before and after.
void add_diff(Lines& lines, const ScriptLoader& from, const ScriptLoader& to) {
  if (call_text(from) == call_text(to)) return;
  const std::string place = site_text(from.site);
  lines.push_back(fmt::format("{}  - {}", place, call_text(from)));
  lines.push_back(fmt::format("{}  + {}", std::string(place.size(), ' '), call_text(to)));
}

// "copies at train.py:50: 20 from pageable memory, non_blocking=False".
void add_copies(Lines& lines, const WatchedLoader& watched) {
  for (const ScriptCopies::Site& copies : watched.copies.sites) {
    lines.push_back(fmt::format("copies at {}: {} from {} memory, {}", site_text(copies.site),
                                copies.calls, copies.pinned ? "pinned" : "pageable",
                                copies.non_blocking ? "non_blocking=True" : "non_blocking=False"));
  }
}

// What is not tried in place (docs/run.md): it would change what the dataset sees, …
void add_persistence(Lines& lines, const Watch& watch, const WatchedLoader& main,
                     const ScriptLoader& last) {
  if (last.num_workers == 0 || last.persistent_workers) return;
  std::vector<double> first_batches;
  double seconds = 0.0;
  for (const WatchedLoader& watched : watch.loaders()) {  // At each of its settings.
    if (watched.process.id != main.process.id || !is_one_loader(watched.loader, main.loader)) {
      continue;
    }
    seconds += watched.seconds;
    for (const EpochMarks& epoch : watched.measurement.epochs) {
      first_batches.push_back(to_seconds(epoch.first_batch));
    }
  }
  if (first_batches.size() < 2) return;
  const double wait = median(first_batches);
  if (wait * static_cast<double>(first_batches.size()) < kNothingToWin * seconds) return;
  lines.push_back(fmt::format(
      "each epoch waits {} for its first batch: persistent_workers=True keeps the workers, where "
      "the dataset stays as it is between epochs",
      format_value(wait, Unit::kSeconds)));
}

// … or import the script again.
void add_start_method(Lines& lines, const WatchedLoader& watched, const ScriptLoader& last) {
  const bool is_forked = last.num_workers > 0 && watched.loader.multiprocessing_context == "fork";
  if (!is_forked || watched.process.resident < kFatParent) return;
  lines.push_back(
      fmt::format("the process had {} when it forked workers: each copies what it touches of that; "
                  "multiprocessing_context='forkserver' starts small ones",
                  format_value(static_cast<double>(watched.process.resident), Unit::kBytes)));
}

void add_others(Lines& lines, const Watch& watch, const ScriptLoader& main) {
  std::vector<const ScriptLoader*> told{&main};
  for (const WatchedLoader& other : watch.loaders()) {
    const bool is_told = std::any_of(told.begin(), told.end(), [&](const ScriptLoader* one) {
      return is_one_loader(*one, other.loader);
    });
    if (is_told || other.process.rank != 0) continue;
    told.push_back(&other.loader);
    const std::optional<LoaderVerdict> verdict = judge(other);
    lines.push_back(fmt::format("also {}: {} steps{}", loader_text(other.loader), other.batches,
                                verdict ? ", " + times_text(other, *verdict) : ""));
  }
}

std::string too_few_text(const Watch& watch) {
  std::string text = "too few steps of a DataLoader were seen";
  if (watch.loaders().empty()) {
    return text + "; the script must iterate one in a Python with torch";
  }
  for (const WatchedLoader& watched : watch.loaders()) {
    if (watched.process.rank != 0) continue;
    text += fmt::format("; {} of {}", watched.batches, loader_text(watched.loader));
  }
  return text + "; the first steps of an epoch do not count";
}

}  // namespace

const WatchedLoader* box_loader(const TrainingTuner& training) {
  return training.tunings().empty() ? training.main() : &training.tunings().front().present();
}

std::size_t box_steps(const TrainingTuner& training) {
  const WatchedLoader* const main = box_loader(training);
  std::size_t steps = 0;
  for (const WatchedLoader& watched : training.watch().loaders()) {
    const bool is_main = main != nullptr && watched.process.id == main->process.id &&
                         is_one_loader(watched.loader, main->loader);
    steps += is_main ? watched.batches : 0;
  }
  return steps;
}

std::vector<std::string> box_lines(const TrainingTuner& training) {
  const WatchedLoader* const before = box_loader(training);
  if (before == nullptr) return {too_few_text(training.watch())};
  Lines lines{fmt::format("{} steps of {}", box_steps(training), loader_text(before->loader))};
  if (const std::optional<LoaderVerdict> verdict = judge(*before)) {
    lines.push_back(times_text(*before, *verdict));
    lines.push_back(verdict_text(*before, *verdict));
  }
  add_copies(lines, *before);
  for (const InPlaceTuner& tuner : training.tunings()) add_tuning(lines, training, tuner);
  const std::string why_not = training.why_not_tuned();
  if (!why_not.empty()) lines.push_back("not tuned: " + why_not);
  const ScriptLoader& last =
      training.tunings().empty()
          ? before->loader
          : training.tunings().back().settings(training.tunings().back().chosen());
  add_diff(lines, before->loader, last);
  add_persistence(lines, training.watch(), *before, last);
  add_start_method(lines, *before, last);
  add_others(lines, training.watch(), before->loader);
  return lines;
}

}  // namespace feedrate
