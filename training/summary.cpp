// SPDX-License-Identifier: Apache-2.0
#include "training/summary.h"

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "core/format.h"
#include "core/printable.h"
#include "core/statistics.h"
#include "training/call_edit.h"
#include "training/summary_text.h"
#include "training/wait_verdict.h"

namespace feedrate {
namespace {

constexpr std::size_t kLargeProcess = std::size_t{4} << 30;

using Lines = std::vector<std::string>;

void add(Lines& lines, const Lines& more) { lines.insert(lines.end(), more.begin(), more.end()); }

bool is_of(const InPlaceTuner& tuner, const WatchedLoader& loader) {
  return is_one_loader(tuner.present(), loader);
}

const InPlaceTuner* first_tuning(const WatchedTraining& training, const WatchedLoader& of) {
  const auto& all = training.tunings();
  const auto found = std::find_if(all.begin(), all.end(),
                                  [&](const InPlaceTuner& tuner) { return is_of(tuner, of); });
  return found == all.end() ? nullptr : &*found;
}

// "tuned: ", with the site of any loader but the first one.
std::string tuned_text(const WatchedTraining& training, const InPlaceTuner& tuner) {
  const WatchedLoader& loader = tuner.present();
  if (first_tuning(training, loader) != &tuner) return "tuned again, the wait had grown: ";
  if (is_of(training.tunings().front(), loader)) return "tuned: ";
  return fmt::format("tuned {} {}: ", site_text(loader.loader.site), loader.loader.dataset);
}

void add_tuning(Lines& lines, const WatchedTraining& training, const InPlaceTuner& tuner) {
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
  const std::optional<WaitVerdict> verdict = now == nullptr ? std::nullopt : judge(*now);
  if (verdict && tuner.is_over()) {
    lines.push_back(
        fmt::format("now: {}; {}", times_text(*now, *verdict), to_string(bound_of(*verdict))));
  }
  lines.push_back(claim_text(*facts, statement));
  if (!facts->is_over) lines.emplace_back("the tuning was not over: more steps may change this");
}

// The changed lines of each loader that was tuned.
void add_changes(Lines& lines, const WatchedTraining& training) {
  for (const InPlaceTuner& tuner : training.tunings()) {
    const WatchedLoader& before = tuner.present();
    if (first_tuning(training, before) != &tuner) continue;
    const InPlaceTuner& last = *last_tuning(training, before);
    add(lines, change_lines(before.loader, last.settings(last.chosen())));
  }
}

// Messages of the script's process about the loader.
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

// Persistent workers load an epoch's first batch, too: they save the rest of its time.
double start_of_epoch(const EpochMarks& epoch, const WatchedLoader& watched) {
  const double fetch =
      watched.fetched > 0 ? watched.fetch_wall / static_cast<double>(watched.fetched) : 0.0;
  return std::max(0.0, to_seconds(epoch.first_batch) - fetch);
}

// This is not tried in place (docs/run.md), since it would change the dataset that workers see.
void add_persistence(Lines& lines, const Watch& watch, const WatchedLoader& main,
                     const ScriptLoader& last) {
  if (last.num_workers == 0 || last.persistent_workers) return;
  std::vector<double> first_batches;
  std::vector<double> starts;
  double seconds = 0.0;
  for (const WatchedLoader& watched : watch.loaders()) {  // At each of its settings with workers.
    if (!is_one_loader(watched, main) || watched.loader.num_workers == 0) continue;
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

// This is not tried in place, since it would import the script again.
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
    const std::optional<WaitVerdict> verdict = judge(other);
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

// Whether a gain is more than the most that the steps before the tuning could win.
bool exceeds_most(const WatchedTraining& training, const WatchedLoader& before) {
  const InPlaceTuner* const first = first_tuning(training, before);
  const std::optional<TuningFacts> facts = first == nullptr ? std::nullopt : tuning_facts(*first);
  return facts && tuning_statement(training, *first, *facts).exceeds_most;
}

void add_loader(Lines& lines, const WatchedTraining& training, const WatchedLoader& before) {
  const std::optional<WaitVerdict> verdict = judge(before);
  const bool has_groups = verdict && verdict->batches_per_step > 1;
  lines.push_back(fmt::format("{} {} of {}", summary_steps(training),
                              has_groups ? "batches" : "steps", loader_text(before.loader)));
  if (!verdict) return;
  lines.push_back(times_text(before, *verdict));
  add(lines, scope_lines(*verdict));
  lines.push_back(verdict_text(before, *verdict, exceeds_most(training, before)));
}

const ScriptLoader& last_settings(const WatchedTraining& training, const WatchedLoader& before) {
  const InPlaceTuner* const last = last_tuning(training, before);
  return last == nullptr ? before.loader : last->settings(last->chosen());
}

}  // namespace

// The batch size may change after tuning has begun; the one with the most time counts.
const WatchedLoader* summary_loader(const WatchedTraining& training) {
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

std::size_t summary_steps(const WatchedTraining& training) {
  const WatchedLoader* const main = summary_loader(training);
  std::size_t steps = 0;
  for (const WatchedLoader& watched : training.watch().loaders()) {
    if (main != nullptr && is_one_loader(watched, *main)) steps += watched.batches;
  }
  return steps;
}

const InPlaceTuner* last_tuning(const WatchedTraining& training, const WatchedLoader& of) {
  const auto& all = training.tunings();
  const auto found = std::find_if(all.rbegin(), all.rend(),
                                  [&](const InPlaceTuner& tuner) { return is_of(tuner, of); });
  return found == all.rend() ? nullptr : &*found;
}

std::vector<std::string> summary_lines(const WatchedTraining& training) {
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
