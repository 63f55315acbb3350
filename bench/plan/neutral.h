// Which knobs mean nothing beside which others.
#pragma once
#include <string>
#include <vector>

#include "core/setting.h"

namespace feedrate {

/// Sets every knob that has no meaning in these settings to its neutral value and returns why, a
/// phrase a knob that changed: "prefetch_factor has no meaning without workers".
std::vector<std::string> neutralize(Settings& settings);

}  // namespace feedrate
