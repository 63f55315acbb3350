// SPDX-License-Identifier: Apache-2.0
#include "analysis/tuner/recommendation.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <ostream>
#include <variant>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "analysis/best.h"
#include "analysis/cell_text.h"
#include "analysis/foreign_load.h"
#include "analysis/limits.h"
#include "analysis/paste_lines.h"
#include "analysis/resource_advice.h"
#include "analysis/staging.h"
#include "analysis/tuner/settings.h"
#include "analysis/whose_loader.h"
#include "core/format.h"

namespace feedrate {
namespace {

std::string rate_text(double rate) { return format_value(rate, Unit::kSamplesPerSecond); }

std::string percent(double share) {
  return std::abs(share) < 0.0995 ? fmt::format("{:.1f} %", 100.0 * share)
                                  : fmt::format("{:.0f} %", 100.0 * share);
}

const CellResult& cell_of(const Findings& findings, std::size_t candidate) {
  return findings.run.cells[findings.candidates[candidate].cell];
}

std::string name_of(const Findings& findings, std::size_t candidate) {
  return name_cell(cell_of(findings, candidate), varying_settings(findings.candidates));
}

bool differ_only_in(const Settings& a, const Settings& b, const std::string& name) {
  return std::all_of(a.begin(), a.end(), [&](const Setting& setting) {
    const SettingValue* const value = find_setting(b, setting.name);
    const std::string mine = to_string(setting.value);
    const std::string other = value == nullptr ? std::string() : to_string(*value);
    return setting.name == name || mine == other || mine.empty() || other.empty();
  });
}

std::vector<std::size_t> others_in(const Findings& findings, const std::string& name) {
  const Settings& mine = findings.candidates[findings.decision.recommended.candidate].settings;
  const std::string own = to_string(*find_setting(mine, name));
  std::vector<std::size_t> others;
  for (std::size_t i = 0; i < findings.candidates.size(); ++i) {
    const Settings& settings = findings.candidates[i].settings;
    const std::string value = to_string(*find_setting(settings, name));
    if (value == own || value.empty() || !differ_only_in(mine, settings, name)) continue;
    if (!(findings.rates[i].expected > 0.0)) continue;
    const auto same = std::find_if(others.begin(), others.end(), [&](std::size_t other) {
      return to_string(*find_setting(findings.candidates[other].settings, name)) == value;
    });
    if (same == others.end()) {
      others.push_back(i);
    } else if (findings.rates[i].expected > findings.rates[*same].expected) {
      *same = i;
    }
  }
  return others;
}

std::string figure(const RateOf& rate) {
  const std::string text = rate_text(rate.expected);
  if (!rate.interval) return text;
  const double half = (rate.interval->high - rate.interval->low) / 2.0;
  return fmt::format("{} ± {}", text, percent(half / rate.expected));
}

std::string reason_for(const Findings& findings, const std::string& name) {
  const RateOf& best = findings.decision.recommended;
  const auto value = [&](std::size_t candidate) {
    return to_string(*find_setting(findings.candidates[candidate].settings, name));
  };
  std::vector<std::string> parts;
  for (const std::size_t i : others_in(findings, name)) {
    const RateOf& other = findings.rates[i];
    parts.push_back(fmt::format("{} gives {} ({}, {})", value(i), figure(other),
                                format_gain(other.expected / best.expected - 1.0),
                                other.starts > 0 ? "measured" : "predicted"));
  }
  if (parts.empty()) return {};
  return fmt::format("{}={}: {}", name, value(best.candidate), fmt::join(parts, ", "));
}

std::string evidence_text(const RateOf& rate) {
  if (rate.starts == 0) return fmt::format("{}, predicted, not measured", figure(rate));
  return fmt::format(
      "{}, measured in {} (model: {})", figure(rate),
      rate.starts == 1 ? "1 repeat, no interval" : fmt::format("{} repeats", rate.starts),
      rate_text(rate.predicted));
}

std::optional<std::int64_t> largest_of(const Findings& findings, const std::string& name) {
  std::int64_t least = std::numeric_limits<std::int64_t>::max(), most = -1;
  for (const Candidate& candidate : findings.candidates) {
    const SettingValue* const value = find_setting(candidate.settings, name);
    const auto* const count = value == nullptr ? nullptr : std::get_if<std::int64_t>(value);
    if (count == nullptr) continue;
    least = std::min(least, *count);
    most = std::max(most, *count);
  }
  return most > least ? std::optional(most) : std::nullopt;
}

std::string whose_text(const Findings& findings, const CellResult& cell) {
  if (is_pytorch(cell)) return "Measured: " + whose_loader(findings.run, cell) + ".";
  if (!setting_text(cell, "emulate").empty()) {
    return "Measured with feedrate's native loader, emulating the cost of PyTorch's (emulate); not "
           "verified with PyTorch's DataLoader.";
  }
  return "Measured with feedrate's native loader; PyTorch's DataLoader needs more workers. With a "
         "Python that has torch (python3 -m pip install torch, or FEEDRATE_PYTHON=its python3): "
         "feedrate tune --engine auto.";
}

const char* gpu_bound_text(bool is_pytorch) {
  return is_pytorch ? "Already GPU-bound: faster loading gains nothing. The baseline loses at most "
                      "2 % against perfect loading."
                    : "With this loader the baseline loses at most 2 % against perfect loading; "
                      "PyTorch's DataLoader may lose more.";
}

std::string ending_text(Ending ending, bool is_pytorch) {
  switch (ending) {
    case Ending::kGpuBound:
      return gpu_bound_text(is_pytorch);
    case Ending::kOutOfTime:
      return "The budget is used up; `feedrate tune` on the same folder with a larger --budget "
             "continues.";
    case Ending::kExhausted:
      return "More repeats would add little information.";
    case Ending::kRunning:
      return "Interrupted: this is the best so far; `feedrate tune` on the same folder continues.";
    case Ending::kConfident:
      break;
  }
  return {};
}

std::string fallback_text(const Decision& decision) {
  if (decision.fallback == 0) return {};
  constexpr const char* kWhy = "A measured rate differed from its prediction by more than 10 %";
  if (decision.fallback_measured == decision.fallback) {
    return fmt::format("{}: the best {} by prediction were measured.", kWhy, decision.fallback);
  }
  return fmt::format("{}: of the best {} by prediction, {} were measured.", kWhy, decision.fallback,
                     decision.fallback_measured);
}

std::string why_undecided(const RatioVerdict& verdict) {
  if (verdict.disturbed > 0) {
    return fmt::format("other programs disturbed {} of their common rounds",
                       verdict.rounds == 0 ? "each" : "all but one");
  }
  return verdict.rounds == 0 ? "they have no common round" : "they have only one common round";
}

class Printer {
 public:
  Printer(std::ostream& out, const Findings& findings) : out_(out), findings_(findings) {}

  void print() const {
    const Decision& decision = findings_.decision;
    const std::size_t best = decision.recommended.candidate;
    const CellResult& cell = cell_of(findings_, best);
    line("{}", whose_text(findings_, cell));
    line("{}: {}", is_pytorch(cell) ? "Recommended" : "Best with this loader",
         name_of(findings_, best));
    line("  {}", evidence_text(decision.recommended));
    say(foreign_load_caution(cell));
    say(ending_text(decision.ending, is_pytorch(cell)));
    const std::string bottleneck = verdict_text(cell);
    bottleneck.empty() ? print_limit() : say(bottleneck);
    for (const std::string& reason : reasons(findings_)) say(reason);
    for (const std::string& hint : edge_hints(findings_)) say(hint);
    for (const std::string& text : resource_advice(cell)) say(text);
    for (const StagingGain& gain : staging_gains(findings_.run, cell)) say(staging_sentence(gain));
    print_costs();
    print_rivals();
    line("\n{}", confidence_sentence(decision, findings_.confidence_asked));
    if (decision.fallback > 0) line("{}", fallback_text(decision));
    print_code();
    const std::string notice = simulation_notice(findings_.run);
    if (!notice.empty()) line("\n{}; verify on a real device.", notice);
  }

 private:
  template <typename... Arguments>
  void line(fmt::format_string<Arguments...> text, Arguments&&... arguments) const {
    out_ << fmt::format(text, std::forward<Arguments>(arguments)...) << '\n';
  }

  void say(const std::string& text) const {
    if (!text.empty()) line("  {}", text);
  }

  void print_code() const {
    const CellResult& cell = cell_of(findings_, findings_.decision.recommended.candidate);
    const std::string code = code_of(findings_.run, cell);
    if (!code.empty()) {
      line("\nTo use it:\n{}#SBATCH --cpus-per-task={}", code, cpus_per_task(cell.settings));
    }
  }

  void print_limit() const {
    const Decision& decision = findings_.decision;
    if (!decision.trainer_limit) return;
    line("  {} of the rate with perfect loading, {}",
         percent(decision.recommended.expected / *decision.trainer_limit),
         rate_text(*decision.trainer_limit));
  }

  void print_costs() const {
    const std::size_t best = findings_.decision.recommended.candidate;
    const std::size_t workers = loop_settings(findings_.candidates[best].settings).num_workers;
    std::string costs =
        fmt::format("  Cost: {} worker process{}", workers, workers == 1 ? "" : "es");
    const double predicted = findings_.candidates[best].memory;
    if (const double* memory = find_metric(cell_of(findings_, best).metrics, "memory")) {
      costs += fmt::format(", {} of host memory", format_value(*memory, Unit::kBytes));
    } else if (predicted > 0.0) {
      costs += fmt::format(", up to {} of host memory", format_value(predicted, Unit::kBytes));
    }
    const double first = findings_.decision.first_batch_time;
    line("{}, and about {} from the start of the loader to its first batch", costs,
         format_value(first, Unit::kSeconds));
  }

  void print_rivals() const {
    const Decision& decision = findings_.decision;
    if (decision.present_is_best) line("  These are the baseline settings.");
    if (decision.present) print_rival("baseline", *decision.present);
    if (decision.runner_up) print_rival("runner-up", *decision.runner_up);
    if (decision.runner_up_needs_conversion) {
      line(
          "  It needs a conversion of the dataset, which is not recommended without a shown gain.");
    }
  }

  void print_rival(const char* what, const Rival& rival) const {
    line("\nCompared with the {}: {}", what, name_of(findings_, rival.rate.candidate));
    line("  {}", evidence_text(rival.rate));
    const RatioVerdict& verdict = rival.recommended_to_it;
    if (verdict.rounds < 2) {
      line("  {}: {}", to_string(Verdict::kUndecided), why_undecided(verdict));
      return;
    }
    line("  {}: {:.3f} times its rate ({:.3f} to {:.3f}, {} rounds)", to_string(verdict.verdict),
         verdict.ratio, verdict.interval.low, verdict.interval.high, verdict.rounds);
  }

  std::ostream& out_;
  const Findings& findings_;
};

}  // namespace

std::vector<std::string> varying_settings(std::span<const Candidate> candidates) {
  RunResult run;
  for (const Candidate& candidate : candidates) {
    run.cells.emplace_back().settings = candidate.settings;
  }
  return varying_settings(run);
}

std::string confidence_sentence(const Decision& decision, double asked) {
  const auto claim = [&](double loss) {
    return fmt::format("within {} of the best of {} settings considered, {} of them measured; ",
                       percent(loss), decision.considered, decision.measured);
  };
  const std::string error = decision.model_errors == 0
                                ? std::string("no prediction tested yet")
                                : fmt::format("model error on held-out cells {} (median of {})",
                                              percent(decision.model_error), decision.model_errors);
  const double shown = std::min(0.99, std::floor(100.0 * decision.confidence) / 100.0);
  if (decision.confidence < asked) {
    return fmt::format("{:.0f} % sure: {}within the requested {}: only {:.0f} %; {}.",
                       100.0 * asked, claim(decision.loss), percent(decision.tolerance),
                       100.0 * shown, error);
  }
  return fmt::format("{:.0f} % sure: {}{}.", 100.0 * shown, claim(decision.tolerance), error);
}

std::vector<std::string> reasons(const Findings& findings) {
  std::vector<std::string> texts;
  for (const std::string& name : varying_settings(findings.candidates)) {
    const Settings& mine = findings.candidates[findings.decision.recommended.candidate].settings;
    const SettingValue* const value = find_setting(mine, name);
    if (value == nullptr || to_string(*value).empty()) {
      continue;
    }
    if (std::string reason = reason_for(findings, name); !reason.empty()) {
      texts.push_back(std::move(reason));
    }
  }
  return texts;
}

std::vector<std::string> edge_hints(const Findings& findings) {
  const Decision& decision = findings.decision;
  constexpr double kAllThatItTakes = 0.98;
  const bool is_full = decision.trainer_limit &&
                       decision.recommended.expected >= kAllThatItTakes * *decision.trainer_limit;
  std::vector<std::string> hints;
  if (is_full || has_full_cpus(cell_of(findings, decision.recommended.candidate))) return hints;
  const Settings& mine = findings.candidates[decision.recommended.candidate].settings;
  for (const std::string name : {"num_workers", "prefetch_factor"}) {
    const std::optional<std::int64_t> most = largest_of(findings, name);
    if (!most || count_of(mine, name, -1) != *most) continue;
    hints.push_back(
        fmt::format("{0}={1} is the largest value of the sweep; larger values may be faster: try "
                    "--axis {0}={1},{2},{3}",
                    name, *most, *most + (*most + 1) / 2, std::max<std::int64_t>(2 * *most, 3)));
  }
  return hints;
}

std::string code_of(const RunResult& run, const CellResult& cell) {
  return is_pytorch(cell) ? paste_ready(run, cell) : std::string();
}

std::size_t cpus_per_task(const Settings& settings) {
  return loop_settings(settings).num_workers + 1;
}

void print_recommendation(std::ostream& out, const Findings& findings) {
  Printer(out, findings).print();
}

}  // namespace feedrate
