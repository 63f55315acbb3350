// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <ostream>

#include <fmt/format.h>

#include "bench/limits/limit.h"
#include "core/format.h"
#include "core/text_table.h"

namespace feedrate {
namespace {

std::string remark_of(const Limit& row) {
  if (std::isnan(row.value)) return "failed: " + row.warning;
  return row.warning.empty() ? row.note : fmt::format("{}; {}", row.note, row.warning);
}

void print_rows(std::ostream& out, const std::vector<Limit>& rows, std::size_t width) {
  TextTable table;
  table.add_column("what", Align::kLeft);
  table.add_column("size", Align::kRight);
  table.add_column("threads", Align::kRight);
  table.add_column("at most", Align::kRight);
  table.add_column("is the limit of", Align::kLeft);
  for (const Limit& row : rows) {
    table.add_row({row.name, size_text(row.size), std::to_string(row.threads), rate_text(row),
                   one_line(remark_of(row), TableStyle::kTerminal)});
  }
  table.wrap(width);
  table.print(out, TableStyle::kTerminal);
}

void print_section(std::ostream& out, const LimitSection& section, std::size_t width) {
  out << fmt::format("\n{}\n", section.title);
  if (!section.left_out.empty()) {
    out << fmt::format("Not measured: {}\n", section.left_out);
    return;
  }
  out << fmt::format("{}\n\n", section.about);
  print_rows(out, section.rows, width);
}

}  // namespace

void print_limits(std::ostream& out, const Limits& limits, std::size_t width) {
  out << "Hardware limits. A loader is never faster than the slowest stage that it uses.\n";
  for (const LimitSection& section : limits.sections) print_section(out, section, width);
}

}  // namespace feedrate
