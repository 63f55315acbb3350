// SPDX-License-Identifier: Apache-2.0
// The limits as tables for people. One thread.
#pragma once
#include <iosfwd>

#include "bench/limits/limit.h"

namespace feedrate {

/// A table a topic. No line of a table is longer than `width`, where 0 is any; see TextTable::wrap.
void print_limits(std::ostream& out, const Limits& limits, std::size_t width = 0);

}  // namespace feedrate
