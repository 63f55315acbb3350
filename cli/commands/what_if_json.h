// SPDX-License-Identifier: Apache-2.0
// The answers of `feedrate what-if` as JSON. Pure; any thread.
#pragma once
#include <iosfwd>

#include "analysis/tuner/scaling_text.h"
#include "analysis/tuner/what_if_text.h"

namespace feedrate {

/// Rates are samples per second; unknown values are null.
void write_what_if_json(std::ostream& out, const WhatIfFindings& findings);

/// The answers of `what-if --nodes`. Rates are of all ranks unless the name says otherwise;
/// unlimited values are null.
void write_scaling_json(std::ostream& out, const ScalingFindings& findings);

}  // namespace feedrate
