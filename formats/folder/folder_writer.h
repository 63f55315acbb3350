// SPDX-License-Identifier: Apache-2.0
// Writes a folder of image files, with class folders or a labels.csv. See docs/formats.md.
#pragma once
#include <filesystem>
#include <memory>

#include "formats/record_writer.h"

namespace feedrate {

/// Throws ConfigError if `path` exists.
[[nodiscard]] std::unique_ptr<RecordWriter> create_folder_writer(const std::filesystem::path& path,
                                                                 const WriterOptions& options);

}  // namespace feedrate
