// SPDX-License-Identifier: Apache-2.0
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/format.h"
#include "training/call_edit.h"
#include "training/summary.h"
#include "training/wait_verdict.h"

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

// "num_workers=4".
std::string settings_text(const InPlaceTuner& tuner, std::size_t candidate) {
  return values_text(argument_changes(tuner.settings(0), tuner.settings(candidate)));
}

// Both were measured in the same rounds, at least two.
std::optional<MeasuredGain> measured_gain(const InPlaceTuner& tuner, const Decision& decision) {
  const bool is_recommended = tuner.chosen() == decision.recommended.candidate;
  if (!is_recommended || !decision.present || decision.present->recommended_to_it.rounds < 2) {
    return std::nullopt;
  }
  const RatioVerdict& gain = decision.present->recommended_to_it;
  return MeasuredGain{gain.ratio, gain.interval.low, gain.interval.high};
}

// "1,000 steps", or "5.00 s" if these take less.
std::string bound_base(const InPlaceTuner& tuner) {
  const InPlaceAims& aims = tuner.aims();
  const bool is_time =
      tuner.cost() > 0.0 && tuner.cost() <= 1.0001 * aims.least_seconds * tuner.cost_share();
  if (is_time) return format_value(aims.least_seconds, Unit::kSeconds);
  return format_value(static_cast<double>(aims.bound_steps), Unit::kCount) + " steps";
}

}  // namespace

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

TuningStatement tuning_statement(const WatchedTraining& training, const InPlaceTuner& tuner,
                                 const TuningFacts& facts) {
  const bool is_told = &tuner == &training.tunings().front();
  const std::optional<WaitVerdict> before =
      judge(is_told ? *summary_loader(training) : tuner.present());
  return state(facts, before ? WaitFacts(*before) : WaitFacts{});
}

}  // namespace feedrate
