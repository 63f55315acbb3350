#include <fmt/format.h>

#include "bench/commands/sweep.h"
#include "core/error.h"

namespace feedrate {
namespace {

Axis parse_flag(const char* flag, const std::string& text) try {
  return parse_axis(text);
} catch (const ConfigError& error) {
  throw ConfigError(fmt::format("{} {}: {}", flag, text, error.what()));
}

}  // namespace

SweepConfig load_sweep(const std::filesystem::path& file, const SweepOverrides& overrides) {
  SweepConfig config = load_config(file);
  for (const std::string& text : overrides.axes) override_axis(config, parse_flag("--axis", text));
  if (overrides.device) override_axis(config, parse_axis("device=" + *overrides.device));
  if (overrides.steps) config.measure.steps = *overrides.steps;
  if (overrides.repeats) config.measure.repeats = *overrides.repeats;
  if (overrides.seed) config.measure.seed = *overrides.seed;
  if (overrides.no_limits) config.measure.limits = false;
  return config;
}

std::vector<Axis> parse_only(const SweepOverrides& overrides) {
  std::vector<Axis> only;
  for (const std::string& text : overrides.only) only.push_back(parse_flag("--only", text));
  return only;
}

}  // namespace feedrate
