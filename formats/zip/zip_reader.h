// SPDX-License-Identifier: Apache-2.0
// Reads ZIP files whose members are stored, not compressed: a folder in one file.
#pragma once
#include <filesystem>
#include <memory>

#include "formats/read_options.h"
#include "formats/record_reader.h"

namespace feedrate {

/// Throws FormatError if the file is damaged, if an image is compressed or encrypted, or if there
/// is no image.
[[nodiscard]] std::unique_ptr<RecordReader> open_zip_reader(const std::filesystem::path& path,
                                                            const ReadOptions& options);

}  // namespace feedrate
