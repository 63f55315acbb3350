// SPDX-License-Identifier: Apache-2.0
#include "analysis/reference.h"

#include <algorithm>

#include "analysis/cell_text.h"
#include "bench/plan/knobs.h"

namespace feedrate {

std::string reference_value(std::span<const CellResult* const> cells, const std::string& setting) {
  const Knob* const knob = known_knob(setting);
  std::string first;
  for (const CellResult* cell : cells) {
    const std::string text = setting_text(*cell, setting);
    if (knob != nullptr && knob->is_default_today && text == knob->fallback) return text;
    if (first.empty()) first = text;
  }
  return first;
}

bool is_at_reference(const CellResult& cell, std::span<const CellResult* const> cells,
                     std::span<const std::string> settings) {
  return std::all_of(settings.begin(), settings.end(), [&](const std::string& name) {
    const std::string text = setting_text(cell, name);
    return text.empty() || text == reference_value(cells, name);
  });
}

}  // namespace feedrate
