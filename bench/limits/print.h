// SPDX-License-Identifier: Apache-2.0
// Prints the limits as tables. One thread.
#pragma once
#include <iosfwd>

#include "bench/limits/limit.h"

namespace feedrate {

/// Prints one table per topic. No line of a table is longer than `width`; 0: unlimited; see
/// TextTable::wrap.
void print_limits(std::ostream& out, const Limits& limits, std::size_t width = 0);

}  // namespace feedrate
