#include <fmt/format.h>

#include "bench/commands/sweep.h"
#include "core/error.h"

namespace feedrate {

SweepConfig load_sweep(const std::filesystem::path& file, const SweepOverrides& overrides) {
  SweepConfig config = load_config(file);
  for (const std::string& text : overrides.axes) override_axis(config, parse_axis(text));
  if (overrides.device) override_axis(config, parse_axis("device=" + *overrides.device));
  if (overrides.steps) config.measure.steps = *overrides.steps;
  if (overrides.repeats) config.measure.repeats = *overrides.repeats;
  if (overrides.seed) config.measure.seed = *overrides.seed;
  return config;
}

std::vector<Axis> parse_only(const SweepOverrides& overrides) {
  std::vector<Axis> only;
  for (const std::string& text : overrides.only) only.push_back(parse_axis(text));
  return only;
}

}  // namespace feedrate
