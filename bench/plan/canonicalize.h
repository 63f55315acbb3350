// SPDX-License-Identifier: Apache-2.0
// Which knobs mean nothing beside which others.
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

/// Sets every knob that has no meaning in these settings to its neutral value (Knob::idle) and
/// returns those that changed. Knobs that are not set are left out.
std::vector<Canonicalized> canonicalize(CellSettings& settings);
/// The same of a result's settings, among which may be others than knobs.
void canonicalize(Settings& settings);

}  // namespace feedrate
