// SPDX-License-Identifier: Apache-2.0
#include "analysis/profile/summary_table.h"

#include <cmath>

#include <fmt/format.h>

#include "core/format.h"
#include "core/text_table.h"

namespace feedrate {

void print_summary_table(std::ostream& out, const std::vector<SummaryRow>& rows) {
  TextTable table;
  for (std::size_t i = 0; i < rows.front().size(); ++i) {
    table.add_column(rows.front()[i], i == 0 ? Align::kLeft : Align::kRight);
  }
  for (std::size_t i = 1; i < rows.size(); ++i) table.add_row(rows[i]);
  table.print(out, TableStyle::kTerminal);
}

std::string in_us(double seconds) {
  return format_value(std::nearbyint(1e6 * seconds), Unit::kCount);
}

std::string percent_of(Nanos part, Nanos whole) {
  if (whole == Nanos(0)) return "-";
  return fmt::format("{:.2f}", 100 * to_seconds(part) / to_seconds(whole));
}

}  // namespace feedrate
