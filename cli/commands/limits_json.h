// SPDX-License-Identifier: Apache-2.0
// The limits as JSON. One thread.
#pragma once
#include <iosfwd>

#include "bench/limits/limit.h"
#include "core/result.h"

namespace feedrate {

/// Prints one document: the rows, what was left out and why, and the machine. Values are in base
/// units; missing ones are null or absent, never 0.
void print_limits_json(std::ostream& out, const Limits& limits, const Environment& environment);

}  // namespace feedrate
