// SPDX-License-Identifier: Apache-2.0
#include "bench/overrides.h"

#include <algorithm>
#include <type_traits>

#include <fmt/format.h>

#include "bench/plan/limit_cells.h"
#include "core/error.h"
#include "core/parse_number.h"
#include "core/utf8.h"

namespace feedrate {
namespace {

// Each override with its option, in the order of their texts.
template <typename Overrides, typename Visit>
void for_each_override(Overrides& overrides, const Visit& visit) {
  visit("--axis", overrides.axes);
  visit("--only", overrides.only);
  visit("--device", overrides.device);
  visit("--engine", overrides.engine);
  visit("--steps", overrides.steps);
  visit("--repeats", overrides.repeats);
  visit("--tolerance", overrides.tolerance);
  visit("--cell-timeout", overrides.cell_timeout);
  visit("--seed", overrides.seed);
  visit("--no-limits", overrides.no_limits);
  visit("--sort", overrides.sort);
  visit("--shard", overrides.shard);
}

using Texts = std::vector<std::string>;

void add_texts(Texts& texts, const char* flag, const Texts& values) {
  for (const std::string& value : values) texts.push_back(fmt::format("{}={}", flag, value));
}

void add_texts(Texts& texts, const char* flag, bool value) {
  if (value) texts.emplace_back(flag);
}

void add_texts(Texts& texts, const char* flag, const std::optional<SweepShard>& shard) {
  if (shard) texts.push_back(fmt::format("{}={}", flag, to_string(*shard)));
}

template <typename Value>
void add_texts(Texts& texts, const char* flag, const std::optional<Value>& value) {
  if (value) texts.push_back(fmt::format("{}={}", flag, *value));
}

std::string flag_of(const std::string& text) { return text.substr(0, text.find('=')); }

std::string value_of(const std::string& text) {
  return text.substr(std::min(flag_of(text).size() + 1, text.size()));
}

void take_text(const std::string& text, Texts& values) { values.push_back(value_of(text)); }
void take_text(const std::string& /*text*/, bool& value) { value = true; }
void take_text(const std::string& text, std::optional<std::string>& value) {
  value = value_of(text);
}
void take_text(const std::string& text, std::optional<SweepShard>& shard) {
  shard = parse_shard(value_of(text));
}

template <typename Number>
void take_text(const std::string& text, std::optional<Number>& number) {
  number = parse_number<Number>(value_of(text));
  if (number) return;
  throw ConfigError(
      fmt::format("{}: must be a {}number", text, std::is_integral_v<Number> ? "whole " : ""));
}

std::vector<Axis> parse_flag(const char* flag, const std::string& text) try {
  return parse_axes(text);
} catch (const ConfigError& error) {
  throw ConfigError(fmt::format("{} {}: {}", flag, text, error.what()));
}

void apply(const SweepOverrides& overrides, SweepConfig& config) {
  for (const std::string& text : overrides.axes) {
    for (Axis& axis : parse_flag("--axis", text)) override_axis(config, std::move(axis));
  }
  if (overrides.device) override_axis(config, parse_axis("device=" + *overrides.device));
  if (overrides.engine && !config.set.contains("engine")) {
    override_axis(config, parse_axis("engine=" + *overrides.engine));
  }
  if (overrides.steps) config.measure.steps = *overrides.steps;
  if (overrides.repeats) {
    config.measure.repeats =
        parse_repeats(*overrides.repeats, fmt::format("--repeats {}", *overrides.repeats));
  }
  if (overrides.tolerance) config.measure.tolerance = *overrides.tolerance;
  if (overrides.cell_timeout) config.measure.cell_timeout = from_seconds(*overrides.cell_timeout);
  if (overrides.seed) config.measure.seed = *overrides.seed;
  if (overrides.no_limits) config.measure.limits = false;
}

// An option that is given replaces the stored one.
SweepOverrides merged(const Texts& stored, const SweepOverrides& given) {
  Texts texts = to_texts(given);
  const std::size_t count = texts.size();
  for (const std::string& text : stored) {
    const bool is_given =
        std::any_of(texts.begin(), texts.begin() + static_cast<std::ptrdiff_t>(count),
                    [&](const std::string& one) { return flag_of(one) == flag_of(text); });
    if (!is_given) texts.push_back(text);
  }
  return overrides_from_texts(texts);
}

std::string setting_of(std::uint64_t number) { return std::to_string(number); }
std::string setting_of(const Repeats& repeats) { return to_string(repeats); }

void require_same(const char* flag, const auto& given, const auto& stored, const char* advice) {
  if (given == stored) return;
  throw ConfigError(fmt::format("{} {}: the run was started with {}; {}", flag, setting_of(given),
                                setting_of(stored), advice));
}

// Adds "+6" to the largest number of repeats of a cell.
std::string with_more(const RunResult& run, const Repeats& before, const std::string& added) {
  const Repeats more = parse_repeats(added.substr(1), fmt::format("--repeats {}", added));
  std::size_t most = before.least;
  for (const CellResult& cell : run.cells) most = std::max(most, cell.repeats.size());
  return std::to_string(most + more.least);
}

}  // namespace

SweepConfig load_sweep(const std::filesystem::path& file, const SweepOverrides& overrides) {
  SweepConfig config = load_config(file);
  for (const std::string& text : to_texts(overrides)) {
    if (is_utf8(text)) continue;
    throw ConfigError(fmt::format("{}: not valid UTF-8, so a run cannot save it", text));
  }
  apply(overrides, config);
  return config;
}

SweepConfig load_stored_sweep(const RunResult& run, const SweepOverrides& overrides) {
  SweepConfig config = parse_config(run.config_text, run.config_name + ".yaml");
  apply(overrides, config);
  return config;
}

std::vector<Axis> parse_only(const SweepOverrides& overrides) {
  std::vector<Axis> only;
  for (const std::string& text : overrides.only) {
    for (Axis& axis : parse_flag("--only", text)) only.push_back(std::move(axis));
  }
  return only;
}

std::vector<Cell> sweep_plan(const SweepConfig& config, const SweepOverrides& overrides,
                             const LaunchedRanks& launched, int cpus) {
  std::vector<Cell> plan = make_plan_with_limits(
      config, {parse_only(overrides), static_cast<std::size_t>(cpus), launched});
  if (overrides.shard) keep_shard(plan, config.measure, *overrides.shard);
  return plan;
}

std::vector<std::string> to_texts(const SweepOverrides& overrides) {
  Texts texts;
  for_each_override(overrides,
                    [&](const char* flag, const auto& value) { add_texts(texts, flag, value); });
  return texts;
}

SweepOverrides overrides_from_texts(const std::vector<std::string>& texts) {
  SweepOverrides overrides;
  for (const std::string& text : texts) {
    bool is_known = false;
    for_each_override(overrides, [&](const char* flag, auto& value) {
      if (flag_of(text) != flag) return;
      take_text(text, value);
      is_known = true;
    });
    if (!is_known) throw ConfigError(fmt::format("{}: not an option that a run saves", text));
  }
  return overrides;
}

SweepOverrides resumed_overrides(const SweepOverrides& given, const RunResult& run) {
  const bool adds_rounds = given.repeats && given.repeats->starts_with('+');
  SweepOverrides changed = given;
  if (adds_rounds) changed.repeats.reset();
  SweepOverrides overrides = merged(run.overrides, changed);
  const MeasureConfig before = load_stored_sweep(run, overrides_from_texts(run.overrides)).measure;
  const MeasureConfig now = load_stored_sweep(run, overrides).measure;
  require_same("--steps", now.steps, before.steps, "start a new run with --out");
  require_same("--seed", now.seed, before.seed, "start a new run with --out");
  require_same("--repeats", now.repeats, before.repeats, "--repeats +N adds rounds to them");
  if (adds_rounds) overrides.repeats = with_more(run, before.repeats, *given.repeats);
  return overrides;
}

}  // namespace feedrate
