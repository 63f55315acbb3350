// SPDX-License-Identifier: Apache-2.0
// Tables of the summaries, and the format of their numbers and names. Pure functions; any thread.
#pragma once
#include <iosfwd>
#include <string>
#include <vector>

namespace feedrate {

using SummaryRow = std::vector<std::string>;

/// The first row is the title; the first column is left-aligned. REQUIRES: all rows have as many
/// cells
void print_summary_table(std::ostream& out, std::vector<SummaryRow> rows);

/// Formats 2721884.2 as "2,721,884".
[[nodiscard]] std::string with_thousands(double value);

/// Replaces control characters of a name from a trace, so that it is safe to print.
[[nodiscard]] std::string printable(std::string text);

}  // namespace feedrate
