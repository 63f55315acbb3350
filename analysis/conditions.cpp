// SPDX-License-Identifier: Apache-2.0
#include "analysis/conditions.h"

#include <algorithm>
#include <array>

#include "analysis/cell_text.h"
#include "bench/plan/knobs.h"
#include "core/contains.h"

namespace feedrate {
namespace {

// Conditions that are no knobs: the loader of a training, and the background load of old results.
constexpr auto kConditionsWithoutKnob = std::to_array<std::string_view>(
    {"site", "disturbance_readers", "disturbance_read_bytes", "disturbance_metadata"});

bool drops_samples(const CellResult* cell) {
  const double* const dropped = find_metric(cell->metrics, "samples_dropped");
  return dropped != nullptr && *dropped > 0.0;
}

}  // namespace

bool is_condition(std::string_view setting) {
  if (const Knob* const knob = known_knob(setting)) return knob->role != KnobRole::kChoice;
  return contains(kConditionsWithoutKnob, setting);
}

bool changes_training(std::string_view setting) {
  const Knob* const knob = known_knob(setting);
  return knob != nullptr && knob->changes_training;
}

bool needs_conversion(std::string_view setting) {
  const Knob* const knob = known_knob(setting);
  return knob != nullptr && knob->needs_conversion;
}

bool converts_dataset(const Settings& from, const Settings& to) {
  return std::any_of(from.begin(), from.end(), [&](const Setting& setting) {
    const std::string before = to_string(setting.value), after = text_of(to, setting.name);
    return needs_conversion(setting.name) && !before.empty() && !after.empty() && before != after;
  });
}

std::vector<std::string> varying_conditions(const std::vector<const CellResult*>& cells) {
  std::vector<std::string> names = varying_settings(cells);
  std::erase_if(names, [&](const std::string& name) {
    if (name == "drop_last") return std::none_of(cells.begin(), cells.end(), drops_samples);
    return !is_condition(name);
  });
  return names;
}

}  // namespace feedrate
