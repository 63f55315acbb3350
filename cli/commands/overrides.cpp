// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <type_traits>

#include <fmt/format.h>

#include "cli/commands/sweep.h"
#include "core/error.h"
#include "core/parse_number.h"
#include "core/utf8.h"

namespace feedrate {
namespace {

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

template <typename Number>
Number number_in(const std::string& text, const std::string& digits) {
  const std::optional<Number> number = parse_number<Number>(digits);
  if (!number)
    throw ConfigError(
        fmt::format("{}: must be a {}number", text, std::is_integral_v<Number> ? "whole " : ""));
  return *number;
}

void add_text(const std::string& text, SweepOverrides& overrides) {
  const std::size_t split = std::min(text.find('='), text.size());
  const std::string flag = text.substr(0, split);
  const std::string value = text.substr(std::min(split + 1, text.size()));
  if (flag == "--axis") {
    overrides.axes.push_back(value);
  } else if (flag == "--only") {
    overrides.only.push_back(value);
  } else if (flag == "--device") {
    overrides.device = value;
  } else if (flag == "--engine") {
    overrides.engine = value;
  } else if (flag == "--sort") {
    overrides.sort = value;
  } else if (flag == "--steps") {
    overrides.steps = number_in<std::size_t>(text, value);
  } else if (flag == "--repeats") {
    overrides.repeats = value;
  } else if (flag == "--tolerance") {
    overrides.tolerance = number_in<double>(text, value);
  } else if (flag == "--cell-timeout") {
    overrides.cell_timeout = number_in<double>(text, value);
  } else if (flag == "--seed") {
    overrides.seed = number_in<std::uint64_t>(text, value);
  } else if (text == "--no-limits") {
    overrides.no_limits = true;
  } else if (flag == "--shard") {
    overrides.shard = parse_shard(value);
  } else {
    throw ConfigError(fmt::format("{}: not an option that a run saves", text));
  }
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

std::vector<std::string> to_texts(const SweepOverrides& overrides) {
  std::vector<std::string> texts;
  const auto add = [&](const char* flag, const auto& value) {
    texts.push_back(fmt::format("{}={}", flag, value));
  };
  for (const std::string& axis : overrides.axes) add("--axis", axis);
  for (const std::string& only : overrides.only) add("--only", only);
  if (overrides.device) add("--device", *overrides.device);
  if (overrides.engine) add("--engine", *overrides.engine);
  if (overrides.steps) add("--steps", *overrides.steps);
  if (overrides.repeats) add("--repeats", *overrides.repeats);
  if (overrides.tolerance) add("--tolerance", *overrides.tolerance);
  if (overrides.cell_timeout) add("--cell-timeout", *overrides.cell_timeout);
  if (overrides.seed) add("--seed", *overrides.seed);
  if (overrides.no_limits) texts.emplace_back("--no-limits");
  if (overrides.sort) add("--sort", *overrides.sort);
  if (overrides.shard) add("--shard", to_string(*overrides.shard));
  return texts;
}

SweepOverrides overrides_from_texts(const std::vector<std::string>& texts) {
  SweepOverrides overrides;
  for (const std::string& text : texts) add_text(text, overrides);
  return overrides;
}

std::vector<Axis> parse_only(const SweepOverrides& overrides) {
  std::vector<Axis> only;
  for (const std::string& text : overrides.only) {
    for (Axis& axis : parse_flag("--only", text)) only.push_back(std::move(axis));
  }
  return only;
}

}  // namespace feedrate
