// SPDX-License-Identifier: Apache-2.0
// The column dictionary: every metric that a cell may have, and its meaning. CSV and JSON use the
// tags and base units; tables use the tags and scaled units. Files keep this order; new columns go
// to the end of their group.
#pragma once
#include <span>
#include <string>
#include <string_view>

#include "core/metric.h"

namespace feedrate {

struct Column {
  std::string_view tag;
  Unit unit;
  bool in_table;  ///< shown on the terminal and in table.md
  std::string_view meaning;
};

[[nodiscard]] std::span<const Column> metric_columns();

/// Null for an unknown `tag`.
[[nodiscard]] const Column* find_column(std::string_view tag);

/// "s", "samples/s"; empty for a plain number.
[[nodiscard]] std::string_view unit_name(Unit unit);

[[nodiscard]] std::string columns_markdown();

}  // namespace feedrate
