// SPDX-License-Identifier: Apache-2.0
// Which knobs mean nothing beside which others.
#pragma once
#include <string>
#include <vector>

#include "core/setting.h"

namespace feedrate {

struct Canonicalized {
  std::string knob;
  std::string reason;  ///< "has no meaning without workers"
};

/// Sets every knob that has no meaning in these settings to its neutral value (Knob::idle) and
/// returns those that changed. Knobs that are not set are left out.
std::vector<Canonicalized> canonicalize(Settings& settings);

}  // namespace feedrate
