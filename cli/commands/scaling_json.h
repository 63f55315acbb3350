// SPDX-License-Identifier: Apache-2.0
// The answers of `feedrate what-if --nodes` as JSON. Pure; any thread.
#pragma once
#include <iosfwd>

#include "analysis/tuner/scaling_text.h"

namespace feedrate {

/// Rates are samples per second, of all ranks unless the name says otherwise; unknown or unlimited
/// values are null.
void write_scaling_json(std::ostream& out, const ScalingFindings& findings);

}  // namespace feedrate
