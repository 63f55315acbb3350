// SPDX-License-Identifier: Apache-2.0
// CSV text by RFC 4180: quoting where needed, quotes doubled. Lines are written with LF and read
// with LF or CRLF. Text that a spreadsheet would take for a formula gets an apostrophe before it,
// which is not there any more when it is read. Pure functions; any thread.
#pragma once
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "core/metric.h"

namespace feedrate {

/// One record with its line end.
[[nodiscard]] std::string csv_line(const std::vector<std::string>& fields);

/// The shortest decimal that reads back to `value`; empty where that is no number. Unless it is of
/// a count or a verdict it has a decimal point or an exponent, so that the type of a column that a
/// reader guesses does not depend on its values.
[[nodiscard]] std::string csv_number(double value, Unit unit = Unit::kNone);

struct CsvRecord {
  std::size_t line = 0;  ///< where it begins; 1 is the first line
  std::vector<std::string> fields;
};

/// `file` is named in the FormatError that a damaged text throws. Empty lines are left out.
[[nodiscard]] std::vector<CsvRecord> parse_csv(const std::string& file, std::string_view text);

}  // namespace feedrate
