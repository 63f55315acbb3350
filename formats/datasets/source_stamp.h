// SPDX-License-Identifier: Apache-2.0
// What tells one state of a dataset from another without reading its records. Any thread.
#pragma once
#include <filesystem>
#include <string>

#include "formats/record_reader.h"

namespace feedrate {

/// A few lines of text, equal as long as format, number of records, class names and the names,
/// sizes and times of all files stay as they are. `path` is what `reader` was opened from.
[[nodiscard]] std::string source_stamp(const RecordReader& reader,
                                       const std::filesystem::path& path);

}  // namespace feedrate
