// SPDX-License-Identifier: Apache-2.0
// cells.csv: one row per cell in the plan's order. Columns: jobid, simulated, cell, outcome,
// reason, bottleneck, node, every setting, every metric of analysis/columns.h. Missing values are
// empty, never 0; base units; numbers as csv_number() writes them. Any thread.
#pragma once
#include <filesystem>
#include <iosfwd>

#include "core/result.h"

namespace feedrate {

/// Throws ConfigError if a setting has the name of another column.
void write_cells_csv(std::ostream& out, const RunResult& run);

/// Returns the content of the file; the rest of the result is empty. Settings are typed: bool,
/// integer, number, else text; unknown columns after the first metric are skipped. Throws
/// FormatError (file and line), also for a table of another origin; SystemError.
[[nodiscard]] RunResult read_cells_csv(const std::filesystem::path& path);

}  // namespace feedrate
