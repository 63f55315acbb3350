// Which knobs mean nothing beside which others.
#pragma once
#include <string>
#include <vector>

#include "core/setting.h"

namespace feedrate {

struct Neutralized {
  std::string knob;
  std::string reason;  ///< "has no meaning without workers"
};

/// Sets every knob that has no meaning in these settings to its neutral value and returns those
/// that changed.
std::vector<Neutralized> neutralize(Settings& settings);

}  // namespace feedrate
