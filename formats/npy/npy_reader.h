// SPDX-License-Identifier: Apache-2.0
// Reads folders of .npy files: decoded images of any size, one per file.
#pragma once
#include <filesystem>
#include <memory>

#include "formats/read_options.h"
#include "formats/record_reader.h"

namespace feedrate {

/// Throws FormatError if there is no .npy file.
[[nodiscard]] std::unique_ptr<RecordReader> open_npy_reader(const std::filesystem::path& path,
                                                            const ReadOptions& options);

/// Whether `path` is a folder whose first possible record, among 1000 entries, is a .npy file.
[[nodiscard]] bool looks_like_npy(const std::filesystem::path& path);

}  // namespace feedrate
