// SPDX-License-Identifier: Apache-2.0
#include "bench/engine_auto.h"

#include <algorithm>
#include <chrono>

#include <fmt/format.h>

#include "bench/engines/torch/torch_engine.h"
#include "bench/plan/plan.h"
#include "core/error.h"
#include "core/host/cpu.h"

namespace feedrate {
namespace {

std::vector<Cell> plan_with(SweepConfig config, const std::vector<Axis>& only,
                            const std::string& engine) {
  override_axis(config, {"engine", {engine}});
  try {
    return make_plan(config, {only, static_cast<std::size_t>(usable_cpus())});
  } catch (const ConfigError&) {  // every cell is skipped
    return {};
  }
}

std::size_t cells_to_measure(const std::vector<Cell>& plan) {
  return static_cast<std::size_t>(std::count_if(
      plan.begin(), plan.end(), [](const Cell& cell) { return cell.skip_reason.empty(); }));
}

const Axis& axis_of(const SweepConfig& config, std::string_view name) {
  return *std::find_if(config.axes.begin(), config.axes.end(),
                       [&](const Axis& axis) { return axis.name == name; });
}

std::string clause_of(const std::string& error) {
  constexpr std::string_view kPrefix = "engine torch: ";
  const std::string text = error.substr(error.starts_with(kPrefix) ? kPrefix.size() : 0);
  return text.substr(0, text.find_first_of(";\n"));
}

FoundTorch find_torch_for(const SweepConfig& config, const std::vector<Cell>& plan,
                          const std::stop_token& stop) {
  FoundTorch found{{}, cells_to_measure(plan), {}};
  const std::optional<TorchNeeds> needs =
      found.cells > 0 ? torch_needs(config, plan) : std::nullopt;
  if (!needs) {
    found.problem = "PyTorch's DataLoader cannot load any cell of this sweep";
    return found;
  }
  try {
    found.runtime = find_torch(all_required(*needs), std::chrono::minutes(2), stop);
  } catch (const ConfigError& error) {
    found.problem = error.what();
  }
  return found;
}

}  // namespace

FoundTorch find_torch_for(const SweepConfig& config, const std::vector<Axis>& only,
                          const std::stop_token& stop) {
  return find_torch_for(config, plan_with(config, only, "torch"), stop);
}

std::string choose_engine(SweepConfig& config, const std::vector<Axis>& only,
                          const std::stop_token& stop) {
  if (config.set.contains("engine")) return {};
  const auto choose = [&](const char* engine) {
    override_axis(config, {"engine", {std::string(engine)}});
  };
  const std::size_t native = cells_to_measure(plan_with(config, only, "native"));
  const std::vector<Cell> plan = plan_with(config, only, "torch");
  const std::size_t torch = cells_to_measure(plan);
  const bool emulates = names_profile(config);
  if (torch < native || emulates) {
    choose("native");
    return emulates ? "emulate is a setting of the native loader"
                    : fmt::format("{} of {} cells have settings that PyTorch lacks", native - torch,
                                  native);
  }
  const FoundTorch found = find_torch_for(config, plan, stop);
  choose(found.runtime ? "torch" : "native");
  if (!found.runtime) return clause_of(found.problem);
  return fmt::format("{}, found at {}", found.runtime->versions,
                     found.runtime->interpreter.string());
}

bool names_profile(const SweepConfig& config) {
  const std::vector<SettingValue>& values = axis_of(config, "emulate").values;
  return std::any_of(values.begin(), values.end(),
                     [](const SettingValue& value) { return !to_string(value).empty(); });
}

std::string engine_of(const SweepConfig& config) {
  return to_string(axis_of(config, "engine").values.front());
}

}  // namespace feedrate
