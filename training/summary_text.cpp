// SPDX-License-Identifier: Apache-2.0
#include "training/summary_text.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/format.h"

namespace feedrate {
namespace {

std::string cpus_text(const VerdictWords& words) {
  std::string text =
      words.cpus == 1 ? "1 CPU is usable" : fmt::format("{} CPUs are usable", words.cpus);
  if (words.workers == 0) return text + ".";
  return text + fmt::format("; {} {}.", words.workers, words.workers == 1 ? "worker" : "workers");
}

std::string most_text(const WaitFacts& facts, const VerdictWords& words) {
  const std::optional<double> most = most_to_win(facts);
  if (!most) return "a step does nothing but wait";
  return fmt::format("at most {:.2f}x to win{}", *most,
                     words.is_before_tuning ? " by the steps before the tuning" : "");
}

std::string percent(double share) { return fmt::format("{:.1f} %", 100.0 * share); }

std::string whole_percent(double share) { return fmt::format("{:.0f} %", 100.0 * share); }

std::string interval_text(const MeasuredGain& gain) {
  return fmt::format("{:.2f}x ({:.2f} to {:.2f})", gain.ratio, gain.low, gain.high);
}

std::string settings_text(const TuningFacts& tuning, const TuningStatement& statement) {
  return fmt::format("{} settings{}", statement.possible,
                     tuning.failed.empty() ? "" : " that could be measured");
}

std::string claim_of_best(const TuningFacts& tuning, const TuningStatement& statement) {
  const std::string tolerance = whole_percent(tuning.tolerance);
  const std::string settings = settings_text(tuning, statement);
  switch (statement.claim) {
    case TuningClaim::kWithinTolerance:
      return fmt::format("{} sure: within {} of the best of {}",
                         whole_percent(statement.confidence), tolerance, settings);
    case TuningClaim::kPredicted:
      return fmt::format("by prediction alone within {} of the best of {}", tolerance, settings);
    case TuningClaim::kNoneKnown:
      return fmt::format("none that was tried is known to be {} faster; {} were considered",
                         tolerance, settings);
    case TuningClaim::kBestTried:
      return fmt::format("the best of those tried; {} were considered", settings);
    case TuningClaim::kNone:
      break;
  }
  return fmt::format("{} were considered", settings);
}

std::string cost_text(const TuningFacts& tuning, const TuningStatement& statement) {
  if (tuning.tried < 2 && tuning.cost_seconds <= 0.0) return "none was tried";
  const std::string what =
      tuning.tried < 2 ? "trying cost" : fmt::format("{} tried, which cost", tuning.tried);
  std::string text =
      fmt::format("{} {}, {} of {}", what, format_value(tuning.cost_seconds, Unit::kSeconds),
                  percent(tuning.cost_share), tuning.bound_base);
  if (statement.exceeds_bound) text += ", more than the bound of " + percent(tuning.bound);
  return text;
}

std::string without_figures(std::string reason) {
  std::erase_if(reason, [](char one) { return one == '.' || (one >= '0' && one <= '9'); });
  return reason;
}

// Prints one line for all settings whose reasons differ in figures alone, with those of the first.
void add_trials(std::vector<std::string>& lines, const char* what,
                const std::vector<FailedSettings>& trials) {
  std::vector<std::pair<std::string, std::vector<std::string>>> by_reason;
  for (const FailedSettings& trial : trials) {
    const auto same = std::find_if(by_reason.begin(), by_reason.end(), [&](const auto& known) {
      return without_figures(known.first) == without_figures(trial.reason);
    });
    if (same == by_reason.end()) {
      by_reason.push_back({trial.reason, {trial.settings}});
    } else {
      same->second.push_back(trial.settings);
    }
  }
  for (const auto& [reason, settings] : by_reason) {
    const bool is_named = !settings.front().empty();
    lines.push_back(
        fmt::format("{}: {}{}{}", what, fmt::join(settings, "; "), is_named ? ": " : "", reason));
  }
}

}  // namespace

std::string wait_text(const WaitFacts& facts, const VerdictWords& words) {
  const Bound bound = bound_of(facts);
  if (bound == Bound::kUnknown) {
    return "its batches are taken by another thread: what the training waits for is not seen";
  }
  const bool has_nothing_left = bound == Bound::kTraining || bound == Bound::kGpu;
  if (!has_nothing_left) {
    return fmt::format("{}: {}; {}. {}", to_string(bound), words.cause, most_text(facts, words),
                       cpus_text(words));
  }
  return fmt::format(
      "{}: {}", to_string(bound),
      words.is_before_tuning ? most_text(facts, words) : "nothing left to win by loading faster");
}

std::string gain_text(const TuningFacts& tuning, const TuningStatement& statement) {
  const char* const kStay = "the settings stay as they are; ";
  switch (statement.outcome) {
    case TuningOutcome::kFaster:
    case TuningOutcome::kNotShown:
      return fmt::format("{}: {}{}{}", tuning.changes, interval_text(*tuning.gain),
                         statement.gain ? "" : ", not shown to be faster",
                         statement.exceeds_most
                             ? ", more than the steps before the tuning could win: they waited less"
                             : "");
    case TuningOutcome::kNotCompared:
      return tuning.changes + ", not compared with the script's own settings";
    case TuningOutcome::kNoneFaster:
      return std::string(kStay) + (tuning.failed.empty()
                                       ? "none was shown to be faster"
                                       : "of those that could be measured none was shown to be "
                                         "faster");
    case TuningOutcome::kNoneNeeded:
      return std::string(kStay) + "there is nothing to win";
    case TuningOutcome::kNoneMeasured:
      return std::string(kStay) + "no other could be measured";
    case TuningOutcome::kNoneFits:
      return fmt::format("{}each trial would have cost more than the bound of {} of {}", kStay,
                         percent(tuning.bound), tuning.bound_base);
    case TuningOutcome::kNoneTried:
      return std::string(kStay) + "no other was tried";
    case TuningOutcome::kGivenUp:
      break;
  }
  return "given up, the settings are as before: " + tuning.why_given_up;
}

std::string claim_text(const TuningFacts& tuning, const TuningStatement& statement) {
  return fmt::format("{}; {}", claim_of_best(tuning, statement), cost_text(tuning, statement));
}

std::vector<std::string> failure_lines(const TuningFacts& tuning) {
  std::vector<std::string> lines;
  add_trials(lines, "failed", tuning.failed);
  add_trials(lines, "not tried", tuning.unaffordable);
  return lines;
}

}  // namespace feedrate
