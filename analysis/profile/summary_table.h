// SPDX-License-Identifier: Apache-2.0
// Tables of the summaries, and the format of their numbers and names. Pure functions; any thread.
#pragma once
#include <iosfwd>
#include <string>
#include <vector>

#include "core/units.h"

namespace feedrate {

using SummaryRow = std::vector<std::string>;

/// The first row is the title; the first column is left-aligned. Control characters become blanks.
/// REQUIRES: all rows have as many cells
void print_summary_table(std::ostream& out, const std::vector<SummaryRow>& rows);

/// Whole microseconds: "2,721,884".
[[nodiscard]] std::string in_us(double seconds);
[[nodiscard]] inline std::string in_us(Nanos time) { return in_us(to_seconds(time)); }

/// "12.34"; "-" if `whole` is 0.
[[nodiscard]] std::string percent_of(Nanos part, Nanos whole);

}  // namespace feedrate
