// SPDX-License-Identifier: Apache-2.0
// CSV text by RFC 4180: quoting where needed, quotes doubled. Lines end with LF; CRLF is also read.
// A text that a spreadsheet would execute as a formula is written with a leading apostrophe, which
// reading removes. Pure functions; any thread.
#pragma once
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "core/metric.h"

namespace feedrate {

/// One record with its line end.
[[nodiscard]] std::string csv_line(const std::vector<std::string>& fields);

/// The shortest decimal that reads back to `value`; empty if it is not finite. Except for counts
/// and verdicts it has a decimal point or an exponent, so that the column type that a reader
/// guesses does not depend on the values.
[[nodiscard]] std::string csv_number(double value, Unit unit = Unit::kNone);

struct CsvRecord {
  std::size_t line = 0;  ///< line of its begin; 1 is the first
  std::vector<std::string> fields;
};

/// Throws FormatError (`file` and line) for damaged text. Skips empty lines.
[[nodiscard]] std::vector<CsvRecord> parse_csv(const std::string& file, std::string_view text);

}  // namespace feedrate
