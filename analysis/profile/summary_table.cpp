// SPDX-License-Identifier: Apache-2.0
#include "analysis/profile/summary_table.h"

#include <algorithm>
#include <cstddef>
#include <ostream>
#include <utility>

#include <fmt/format.h>

namespace feedrate {

void print_summary_table(std::ostream& out, std::vector<SummaryRow> rows) {
  std::vector<std::size_t> widths(rows.front().size());
  for (const SummaryRow& row : rows) {
    for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], row[i].size());
  }
  SummaryRow rule;
  for (const std::size_t width : widths) rule.emplace_back(width, '-');
  rows.insert(rows.begin() + 1, std::move(rule));
  for (const SummaryRow& row : rows) {
    out << fmt::format("{:<{}}", row.front(), widths.front());
    for (std::size_t i = 1; i < row.size(); ++i) out << fmt::format("  {:>{}}", row[i], widths[i]);
    out << '\n';
  }
}

std::string with_thousands(double value) {
  std::string digits = fmt::format("{:.0f}", value);
  const std::ptrdiff_t first = digits.starts_with('-') ? 1 : 0;
  for (std::ptrdiff_t at = std::ssize(digits) - 3; at > first; at -= 3) {
    digits.insert(static_cast<std::size_t>(at), 1, ',');
  }
  return digits;
}

std::string printable(std::string text) {
  std::replace_if(
      text.begin(), text.end(),
      [](char c) {
        const auto byte = static_cast<unsigned char>(c);
        return byte < 0x20 || byte == 0x7F;
      },
      ' ');
  return text;
}

}  // namespace feedrate
