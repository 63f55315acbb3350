// SPDX-License-Identifier: Apache-2.0
// Tables of the summaries, and how they write numbers and names. Pure functions; any thread.
#pragma once
#include <iosfwd>
#include <string>
#include <vector>

namespace feedrate {

using SummaryRow = std::vector<std::string>;

/// The first row is the title, the first column left-aligned. REQUIRES: as many cells in each row
void print_summary_table(std::ostream& out, std::vector<SummaryRow> rows);

/// 2721884.2 as "2,721,884"
[[nodiscard]] std::string with_thousands(double value);

/// A name from somebody's trace, safe to show.
[[nodiscard]] std::string printable(std::string text);

}  // namespace feedrate
