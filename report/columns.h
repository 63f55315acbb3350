// The column dictionary: every metric a cell may have, what it means and how to read it. CSV and
// JSON use the tags and base units; tables use the titles. The order here is the order in files and
// does not change; new columns are added at the end of their group.
#pragma once
#include <span>
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

}  // namespace feedrate
