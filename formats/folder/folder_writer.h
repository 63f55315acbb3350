// SPDX-License-Identifier: Apache-2.0
// Writes a folder of image files. See docs/formats.md for when it has class folders and when a
// labels.csv.
#pragma once
#include <filesystem>
#include <memory>

#include "formats/record_writer.h"

namespace feedrate {

/// Throws ConfigError if `path` exists.
[[nodiscard]] std::unique_ptr<RecordWriter> create_folder_writer(const std::filesystem::path& path,
                                                                 const WriterOptions& options);

}  // namespace feedrate
