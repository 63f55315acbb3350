// SPDX-License-Identifier: Apache-2.0
#include "training/summary.h"

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/format.h"
#include "core/printable.h"
#include "core/statistics.h"
#include "training/call_advice.h"
#include "training/call_edit.h"
#include "training/summary_text.h"
#include "training/verdict.h"

namespace feedrate {
namespace {

// "num_workers=2 -> 6, pin_memory=False -> True".
std::string changes_text(const ScriptLoader& from, const ScriptLoader& to) {
  std::vector<std::string> changes;
  const auto add = [&](const char* name, const auto& before, const auto& after) {
    if (before != after) changes.push_back(fmt::format("{}={} -> {}", name, before, after));
  };
  const auto python_bool = [](bool value) { return std::string_view(value ? "True" : "False"); };
  add("num_workers", from.num_workers, to.num_workers);
  const std::size_t prefetch = to.prefetch_factor.value_or(2);
  if (from.num_workers > 0 && to.num_workers > 0) {
    add("prefetch_factor", from.prefetch_factor.value_or(2), prefetch);
  } else if (to.num_workers > 0 && prefetch != 2) {
    changes.push_back(fmt::format("prefetch_factor={}", prefetch));
  }
  add("pin_memory", python_bool(from.pin_memory), python_bool(to.pin_memory));
  return fmt::format("{}", fmt::join(changes, ", "));
}

constexpr std::size_t kLargeProcess = std::size_t{4} << 30;

using Lines = std::vector<std::string>;

void add(Lines& lines, const Lines& more) { lines.insert(lines.end(), more.begin(), more.end()); }

// "num_workers=4".
std::string settings_text(const InPlaceTuner& tuner, std::size_t candidate) {
  return values_text(argument_changes(tuner.settings(0), tuner.settings(candidate)));
}

// Where both were measured beside each other, twice at least.
std::optional<MeasuredGain> measured_gain(const InPlaceTuner& tuner, const Decision& decision) {
  const bool is_recommended = tuner.chosen() == decision.recommended.candidate;
  if (!is_recommended || !decision.present || decision.present->recommended_to_it.rounds < 2) {
    return std::nullopt;
  }
  const RatioVerdict& gain = decision.present->recommended_to_it;
  return MeasuredGain{gain.ratio, gain.interval.low, gain.interval.high};
}

// "1,000 steps", or "5.00 s" where these take less.
std::string bound_base(const InPlaceTuner& tuner) {
  const InPlaceAims& aims = tuner.aims();
  const bool is_time =
      tuner.cost() > 0.0 && tuner.cost() <= 1.0001 * aims.least_seconds * tuner.cost_share();
  if (is_time) return format_value(aims.least_seconds, Unit::kSeconds);
  return format_value(static_cast<double>(aims.bound_steps), Unit::kCount) + " steps";
}

bool is_of(const InPlaceTuner& tuner, const WatchedLoader& loader) {
  return tuner.present().process.id == loader.process.id &&
         is_one_loader(tuner.present().loader, loader.loader);
}

const InPlaceTuner* first_tuning(const TrainingTuner& training, const WatchedLoader& of) {
  const auto& all = training.tunings();
  const auto found = std::find_if(all.begin(), all.end(),
                                  [&](const InPlaceTuner& tuner) { return is_of(tuner, of); });
  return found == all.end() ? nullptr : &*found;
}

// "tuned: ", with the place where it is another loader than the first one that was tuned.
std::string tuned_text(const TrainingTuner& training, const InPlaceTuner& tuner) {
  const WatchedLoader& loader = tuner.present();
  if (first_tuning(training, loader) != &tuner) return "tuned again, the wait had grown: ";
  if (is_of(training.tunings().front(), loader)) return "tuned: ";
  return fmt::format("tuned {} {}: ", site_text(loader.loader.site), loader.loader.dataset);
}

void add_tuning(Lines& lines, const TrainingTuner& training, const InPlaceTuner& tuner) {
  const std::optional<TuningFacts> facts = tuning_facts(tuner);
  if (!facts) {
    lines.emplace_back("not tuned: the script ended too early");
    return;
  }
  const TuningStatement statement = tuning_statement(training, tuner, *facts);
  lines.push_back(tuned_text(training, tuner) + gain_text(*facts, statement));
  add(lines, failure_lines(*facts));
  if (statement.outcome == TuningOutcome::kGivenUp) return;
  const WatchedLoader* const now = tuner.current(training.watch());
  const std::optional<LoaderVerdict> verdict = now == nullptr ? std::nullopt : judge(*now);
  if (verdict && tuner.is_over()) {
    lines.push_back(fmt::format("now: {}; {}", times_text(*now, *verdict), bound_name(*verdict)));
  }
  lines.push_back(claim_text(*facts, statement));
  if (!facts->is_over) lines.emplace_back("the tuning was not over: more steps may change this");
}

// The changed lines of each loader that was tuned.
void add_changes(Lines& lines, const TrainingTuner& training) {
  for (const InPlaceTuner& tuner : training.tunings()) {
    const WatchedLoader& before = tuner.present();
    if (first_tuning(training, before) != &tuner) continue;
    const InPlaceTuner& last = *last_tuning(training, before);
    add(lines, change_lines(before.loader, last.settings(last.chosen())));
  }
}

// What the script's process had to say of the loader.
void add_remarks(Lines& lines, const Watch::Remarks& remarks) {
  if (!remarks.difference.empty()) {
    lines.push_back(fmt::format("audited: {} batches identical, but not another one: {}",
                                remarks.audited, remarks.difference));
  } else if (remarks.audited > 0) {
    lines.push_back(fmt::format("audited: {} batches identical", remarks.audited));
  }
  add(lines, remarks.notes);
}

// "copies at train.py:50: 20 from pageable memory, non_blocking=False".
void add_copies(Lines& lines, const WatchedLoader& watched) {
  for (const ScriptCopies::Site& copies : watched.copies.sites) {
    lines.push_back(fmt::format("copies at {}: {} from {} memory, {}", site_text(copies.site),
                                copies.calls, copies.pinned ? "pinned" : "pageable",
                                copies.non_blocking ? "non_blocking=True" : "non_blocking=False"));
  }
}

// Persistent workers load an epoch's first batch, too: they save what is beyond that.
double start_of_epoch(const EpochMarks& epoch, const WatchedLoader& watched) {
  const double fetch =
      watched.fetched > 0 ? watched.fetch_wall / static_cast<double>(watched.fetched) : 0.0;
  return std::max(0.0, to_seconds(epoch.first_batch) - fetch);
}

// What is not tried in place (docs/run.md): it would change what the dataset sees, …
void add_persistence(Lines& lines, const Watch& watch, const WatchedLoader& main,
                     const ScriptLoader& last) {
  if (last.num_workers == 0 || last.persistent_workers) return;
  std::vector<double> first_batches;
  std::vector<double> starts;
  double seconds = 0.0;
  for (const WatchedLoader& watched : watch.loaders()) {  // At each of its settings with workers.
    if (watched.process.id != main.process.id || !is_one_loader(watched.loader, main.loader) ||
        watched.loader.num_workers == 0) {
      continue;
    }
    seconds += watched.seconds;
    for (const EpochMarks& epoch : watched.epochs) {
      first_batches.push_back(to_seconds(epoch.first_batch));
      starts.push_back(start_of_epoch(epoch, watched));
    }
  }
  if (first_batches.size() < 2) return;
  if (median(starts) * static_cast<double>(starts.size()) < kNothingToWin * seconds) return;
  const double wait = median(first_batches);
  lines.push_back(fmt::format(
      "each epoch waits {} for its first batch: persistent_workers=True keeps the workers, where "
      "the dataset stays as it is between epochs",
      format_value(wait, Unit::kSeconds)));
}

// … or import the script again.
void add_start_method(Lines& lines, const WatchedLoader& watched, const ScriptLoader& last) {
  const bool is_forked = last.num_workers > 0 && watched.loader.multiprocessing_context == "fork";
  if (!is_forked || watched.process.resident < kLargeProcess) return;
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

// Whether a gain is more than the steps before the tuning could win.
bool exceeds_most(const TrainingTuner& training, const WatchedLoader& before) {
  const InPlaceTuner* const first = first_tuning(training, before);
  const std::optional<TuningFacts> facts = first == nullptr ? std::nullopt : tuning_facts(*first);
  return facts && tuning_statement(training, *first, *facts).exceeds_most;
}

void add_loader(Lines& lines, const TrainingTuner& training, const WatchedLoader& before) {
  const std::optional<LoaderVerdict> verdict = judge(before);
  const bool has_groups = verdict && verdict->batches_per_step > 1;
  lines.push_back(fmt::format("{} {} of {}", summary_steps(training),
                              has_groups ? "batches" : "steps", loader_text(before.loader)));
  if (!verdict) return;
  lines.push_back(times_text(before, *verdict));
  add(lines, scope_lines(*verdict));
  lines.push_back(verdict_text(before, *verdict, exceeds_most(training, before)));
}

const ScriptLoader& last_settings(const TrainingTuner& training, const WatchedLoader& before) {
  const InPlaceTuner* const last = last_tuning(training, before);
  return last == nullptr ? before.loader : last->settings(last->chosen());
}

}  // namespace

// The batch size may change after tuning has begun. What is told is that with the most time.
const WatchedLoader* summary_loader(const TrainingTuner& training) {
  if (training.tunings().empty()) return training.main();
  const WatchedLoader& tuned = training.tunings().front().present();
  std::map<std::optional<std::size_t>, double> seconds;
  for (const WatchedLoader& one : training.watch().loaders()) {
    if (is_of(training.tunings().front(), one)) seconds[one.loader.batch_size] += one.seconds;
  }
  const auto most =
      std::max_element(seconds.begin(), seconds.end(),
                       [](const auto& a, const auto& b) { return a.second < b.second; });
  if (most == seconds.end() || most->first == tuned.loader.batch_size) return &tuned;
  for (const WatchedLoader& one : training.watch().loaders()) {
    const bool is_usual = is_of(training.tunings().front(), one) &&
                          one.loader.batch_size == most->first &&
                          has_settings_of(one.loader, tuned.loader);
    if (is_usual && judge(one)) return &one;
  }
  return &tuned;
}

std::size_t summary_steps(const TrainingTuner& training) {
  const WatchedLoader* const main = summary_loader(training);
  std::size_t steps = 0;
  for (const WatchedLoader& watched : training.watch().loaders()) {
    const bool is_main = main != nullptr && watched.process.id == main->process.id &&
                         is_one_loader(watched.loader, main->loader);
    steps += is_main ? watched.batches : 0;
  }
  return steps;
}

std::optional<TuningFacts> tuning_facts(const InPlaceTuner& tuner) {
  const std::optional<Decision> decision = tuner.decision();
  if (!decision) return std::nullopt;
  const std::size_t chosen = tuner.chosen();
  TuningFacts facts;
  if (chosen != 0) facts.changes = changes_text(tuner.settings(0), tuner.settings(chosen));
  facts.is_recommended = chosen == decision->recommended.candidate;
  facts.gain = chosen == 0 ? std::nullopt : measured_gain(tuner, *decision);
  facts.confidence = decision->confidence;
  facts.tolerance = decision->tolerance;
  facts.considered = decision->considered;
  facts.tried = decision->measured;
  facts.cost_seconds = tuner.cost();
  facts.cost_share = tuner.cost_share();
  facts.bound = tuner.aims().bound;
  facts.bound_base = bound_base(tuner);
  for (const FailedTrial& trial : tuner.failures()) {
    facts.failed.push_back({settings_text(tuner, trial.candidate), trial.reason});
  }
  if (!tuner.why_too_dear().empty()) facts.unaffordable.push_back({"", tuner.why_too_dear()});
  facts.why_given_up = tuner.why_given_up();
  facts.is_over = tuner.is_over();
  return facts;
}

TuningStatement tuning_statement(const TrainingTuner& training, const InPlaceTuner& tuner,
                                 const TuningFacts& facts) {
  const bool is_told = &tuner == &training.tunings().front();
  const std::optional<LoaderVerdict> before =
      judge(is_told ? *summary_loader(training) : tuner.present());
  return state(facts, before ? wait_facts(*before) : WaitFacts{});
}

const InPlaceTuner* last_tuning(const TrainingTuner& training, const WatchedLoader& of) {
  const auto& all = training.tunings();
  const auto found = std::find_if(all.rbegin(), all.rend(),
                                  [&](const InPlaceTuner& tuner) { return is_of(tuner, of); });
  return found == all.rend() ? nullptr : &*found;
}

std::vector<std::string> summary_lines(const TrainingTuner& training) {
  const WatchedLoader* const before = summary_loader(training);
  if (before == nullptr) return {printable(too_few_text(training.watch()))};
  Lines lines;
  add_loader(lines, training, *before);
  add_copies(lines, *before);
  for (const InPlaceTuner& tuner : training.tunings()) add_tuning(lines, training, tuner);
  const std::string why_not = training.why_not_tuned();
  if (!why_not.empty()) lines.push_back("not tuned: " + why_not);
  add_remarks(lines, training.watch().remarks(*before));
  add_changes(lines, training);
  const ScriptLoader& last = last_settings(training, *before);
  add_persistence(lines, training.watch(), *before, last);
  add_start_method(lines, *before, last);
  add_others(lines, training.watch(), before->loader);
  for (std::string& line : lines) line = printable(line);
  return lines;
}

}  // namespace feedrate
