// SPDX-License-Identifier: Apache-2.0
// Writes a ZIP file of stored images, as `zip -0 -r` makes one of a folder.
#pragma once
#include <filesystem>
#include <memory>

#include "formats/record_writer.h"

namespace feedrate {

/// Throws ConfigError if `path` exists.
[[nodiscard]] std::unique_ptr<RecordWriter> create_zip_writer(const std::filesystem::path& path,
                                                              const WriterOptions& options);

}  // namespace feedrate
