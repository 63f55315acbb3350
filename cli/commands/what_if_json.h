// SPDX-License-Identifier: Apache-2.0
// The answers of `feedrate what-if` for programs. Pure; any thread.
#pragma once
#include <iosfwd>

#include "analysis/tuner/what_if_text.h"

namespace feedrate {

/// Rates are samples per second; what is not known is null.
void write_what_if_json(std::ostream& out, const WhatIfFindings& findings);

}  // namespace feedrate
