// SPDX-License-Identifier: Apache-2.0
// Detects changes of a dataset without reading its records. Any thread.
#pragma once
#include <filesystem>
#include <string>

#include "formats/record_reader.h"

namespace feedrate {

/// A few lines of text that change with the format, the number of records, the class names, and the
/// names, sizes and times of all files. `path` is the path that `reader` was opened from.
[[nodiscard]] std::string source_stamp(const RecordReader& reader,
                                       const std::filesystem::path& path);

}  // namespace feedrate
