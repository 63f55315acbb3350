// SPDX-License-Identifier: Apache-2.0
// Knobs that have no effect with certain other settings.
#pragma once
#include <string>
#include <vector>

#include "bench/plan/cell_settings.h"
#include "core/setting.h"

namespace feedrate {

struct Canonicalized {
  KnobId knob{};
  const char* reason = "";  ///< "has no effect with the {} trainer", with {} for `value`
  std::string value;

  [[nodiscard]] std::string text() const;
};

/// Sets every knob that has no effect in these settings to its neutral value (Knob::idle) and
/// returns those that changed. Ignores knobs that are not set.
std::vector<Canonicalized> canonicalize(CellSettings& settings);
/// The same for a result's settings, which may include others than knobs.
void canonicalize(Settings& settings);

}  // namespace feedrate
