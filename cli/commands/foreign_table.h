// SPDX-License-Identifier: Apache-2.0
// A table that somebody made by hand, of a course or a paper, read as a run. Any thread.
#pragma once
#include <filesystem>
#include <string>

#include "core/result.h"

namespace feedrate {

/// What the table does not say in our words.
struct ForeignColumns {
  /// Its columns by ours, "workers=num_workers,seconds=epoch_time": ours are the knobs, the metrics
  /// of docs/columns.md, and epoch_time, the seconds of an epoch. Columns with our names need not
  /// be named; others are left out.
  std::string named;
  /// Of all rows, "batch_size=256,samples=50000": knobs, and the samples of an epoch.
  std::string given;
};

/// Every row with a rate is a measured cell: by samples_per_second, by step_time and batch_size, or
/// by epoch_time and samples; the others are left out. An empty field of a knob is its default; 1
/// and yes are true. Throws ConfigError for unknown names, FormatError (file and line).
[[nodiscard]] RunResult read_foreign_table(const std::filesystem::path& file,
                                           const ForeignColumns& columns);

/// A sentence where the table lacks the rows that what-if is best fitted to; else empty.
[[nodiscard]] std::string missing_limits(const RunResult& run);

}  // namespace feedrate
