// SPDX-License-Identifier: Apache-2.0
// Reads a table of another program, such as one from a course or a paper, as a run. Any thread.
#pragma once
#include <filesystem>
#include <string>

#include "core/result.h"

namespace feedrate {

struct ForeignColumns {
  /// Maps its columns to ours, "workers=num_workers,seconds=epoch_time": knobs, metrics of
  /// docs/columns.md, and epoch_time, the seconds of an epoch. Columns with our names need no
  /// mapping; others are ignored.
  std::string named;
  /// Values of all rows, "batch_size=256,samples=50000": knobs, and the samples of an epoch.
  std::string given;
};

/// Each row with a rate (samples_per_second, step_time and batch_size, or epoch_time and samples)
/// is a measured cell; other rows are ignored. An empty field of a knob is its default; 1 and yes
/// are true. Throws ConfigError for unknown names, FormatError (file and line).
[[nodiscard]] RunResult read_foreign_table(const std::filesystem::path& file,
                                           const ForeignColumns& columns);

/// A sentence if the table lacks rows that the fit of what-if needs; else empty.
[[nodiscard]] std::string missing_limits(const RunResult& run);

}  // namespace feedrate
