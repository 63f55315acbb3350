// SPDX-License-Identifier: Apache-2.0
// cells.csv: one row a cell in the plan's order. Columns: jobid, simulated, cell, outcome, reason,
// every setting, every metric of analysis/columns.h. Missing is empty, never 0; base units; the
// shortest decimal that reads back to the same double, with a decimal point unless it is a count.
// Any thread.
#pragma once
#include <filesystem>
#include <iosfwd>

#include "core/result.h"

namespace feedrate {

/// Throws ConfigError where a setting bears the name of another column.
void write_cells_csv(std::ostream& out, const RunResult& run);

/// What the file holds; everything else of the result is empty. Settings come back typed: bool,
/// integer, number, else text; a column behind the first metric that is none of ours is left out.
/// Throws FormatError (file and line), for a table of another origin too; SystemError.
[[nodiscard]] RunResult read_cells_csv(const std::filesystem::path& path);

}  // namespace feedrate
