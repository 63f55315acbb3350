// SPDX-License-Identifier: Apache-2.0
#include "cli/run_box.h"

#include <algorithm>
#include <optional>
#include <ostream>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/format.h"
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
  if (to.num_workers > 0) {
    add("prefetch_factor", from.prefetch_factor.value_or(2), to.prefetch_factor.value_or(2));
  }
  if (from.pin_memory != to.pin_memory) {
    add("pin_memory", python_bool(from.pin_memory), python_bool(to.pin_memory));
  }
  return fmt::format("{}", fmt::join(changes, ", "));
}

bool is_at_same_site(const WatchedLoader& a, const WatchedLoader& b) {
  return a.process.id == b.process.id && a.loader.site == b.loader.site;
}

void print_gain(std::ostream& out, const Decision& decision, std::size_t chosen,
                const ScriptLoader& from, const ScriptLoader& to) {
  if (chosen == 0) {
    out << "  tuned: the settings stay as they are; none was shown to be faster\n";
    return;
  }
  out << "  tuned: " << changes_text(from, to);
  const bool is_recommended = chosen == decision.recommended.candidate;
  if (is_recommended && decision.present && decision.present->recommended_to_it.rounds > 1) {
    const RatioVerdict& gain = decision.present->recommended_to_it;
    out << fmt::format(": {:.2f}x ({:.2f} to {:.2f})", gain.ratio, gain.interval.low,
                       gain.interval.high);
  }
  out << '\n';
}

void print_diff(std::ostream& out, const ScriptLoader& from, const ScriptLoader& to) {
  const std::string place = site_text(from.site);
  out << fmt::format("  {}  - {}\n", place, call_text(from));
  out << fmt::format("  {}  + {}\n", std::string(place.size(), ' '), call_text(to));
}

// The tuned loader at the settings that it has at the end; null where it has gone.
const WatchedLoader* current(const Watch& watch, const InPlaceTuner& tuner) {
  for (const WatchedLoader& watched : watch.loaders()) {
    if (watched.is_current && is_at_same_site(watched, tuner.present())) return &watched;
  }
  return nullptr;
}

void print_tuning(std::ostream& out, const Watch& watch, const InPlaceTuner& tuner) {
  const std::optional<Decision> decision = tuner.decision();
  if (!decision) {
    out << "  not tuned: the script ended too early\n";
    return;
  }
  const ScriptLoader& from = tuner.settings(0);
  const std::size_t chosen = tuner.chosen();
  const ScriptLoader& to = tuner.settings(chosen);
  print_gain(out, *decision, chosen, from, to);
  const WatchedLoader* const now = current(watch, tuner);
  const std::optional<LoaderVerdict> verdict = now == nullptr ? std::nullopt : judge(*now);
  if (verdict && tuner.is_over()) {
    out << fmt::format("  now: {}; {}\n", times_text(*now, *verdict), bound_name(*verdict));
  }
  const std::string claim =
      chosen == decision->recommended.candidate
          ? fmt::format("{:.0f} %: within {:.0f} % of the best of {} settings",
                        100.0 * decision->confidence, 100.0 * decision->tolerance,
                        decision->considered)
          : fmt::format("the best of those tried; {} settings were considered",
                        decision->considered);
  out << fmt::format("  {}; {} tried, which cost {}, {:.1f} % of {} steps\n", claim,
                     decision->measured, format_value(tuner.cost(), Unit::kSeconds),
                     100.0 * tuner.cost_share(),
                     format_value(static_cast<double>(tuner.aims().bound_steps), Unit::kCount));
  if (chosen != 0) print_diff(out, from, to);
}

// "copies at train.py:50: 20 from pageable memory, non_blocking=False".
void print_copies(std::ostream& out, const WatchedLoader& watched) {
  for (const ScriptCopies::Site& copies : watched.copies) {
    out << fmt::format("  copies at {}: {} from {} memory, {}\n", site_text(copies.site),
                       copies.calls, copies.pinned ? "pinned" : "pageable",
                       copies.non_blocking ? "non_blocking=True" : "non_blocking=False");
  }
}

void print_others(std::ostream& out, const Watch& watch, const WatchedLoader& main) {
  std::vector<const WatchedLoader*> told{&main};
  for (const WatchedLoader& other : watch.loaders()) {
    const bool is_told = std::any_of(told.begin(), told.end(), [&](const WatchedLoader* one) {
      return is_at_same_site(*one, other);
    });
    if (is_told || other.process.rank != 0) continue;
    told.push_back(&other);
    const std::optional<LoaderVerdict> verdict = judge(other);
    out << fmt::format("  also {}: {} steps{}\n", loader_text(other.loader), other.steps,
                       verdict ? ", " + times_text(other, *verdict) : "");
  }
}

std::size_t steps_at_site(const Watch& watch, const WatchedLoader& main) {
  std::size_t steps = 0;
  for (const WatchedLoader& watched : watch.loaders()) {
    if (is_at_same_site(watched, main)) steps += watched.steps;
  }
  return steps;
}

}  // namespace

void print_run_box(std::ostream& out, const Watch& watch, const InPlaceTuner* tuner) {
  const WatchedLoader* const main = watch.main_loader();
  if (main == nullptr) {
    out << "feedrate: too few steps of a DataLoader were seen; the script must iterate one in a "
           "Python with torch\n";
    return;
  }
  const WatchedLoader& before = tuner == nullptr ? *main : tuner->present();
  out << fmt::format("feedrate: {} steps of {}\n", steps_at_site(watch, *main),
                     loader_text(before.loader));
  if (const std::optional<LoaderVerdict> verdict = judge(before)) {
    out << "  " << times_text(before, *verdict) << '\n';
    out << "  " << verdict_text(before, *verdict) << '\n';
  }
  print_copies(out, before);
  if (tuner != nullptr) print_tuning(out, watch, *tuner);
  print_others(out, watch, *main);
}

}  // namespace feedrate
