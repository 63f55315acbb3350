// SPDX-License-Identifier: Apache-2.0
// Parses numbers as papers, courses and spreadsheets print them. Pure; any thread.
#pragma once
#include <optional>
#include <string_view>

#include "core/metric.h"

namespace feedrate {

/// Returns the value in the base unit of `unit`: "81.492809s", "0.140631 s", "5,307", "250 ms",
/// "1m23.4s", "1:23.4", "1.2k/s", "1,234 images/s". A comma separates thousands. Returns nothing
/// for a decimal comma ("81,49") and for other text.
[[nodiscard]] std::optional<double> parse_table_number(std::string_view text, Unit unit);

}  // namespace feedrate
