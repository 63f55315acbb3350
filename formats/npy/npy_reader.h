// SPDX-License-Identifier: Apache-2.0
// Folders of .npy files: decoded images, a file each, of any size.
#pragma once
#include <filesystem>
#include <memory>

#include "formats/read_options.h"
#include "formats/record_reader.h"

namespace feedrate {

/// Throws FormatError if there is no .npy file.
[[nodiscard]] std::unique_ptr<RecordReader> open_npy_reader(const std::filesystem::path& path,
                                                            const ReadOptions& options);

/// Whether `path` is a folder in which the first file of those that could be records is a .npy
/// file; few are looked at.
[[nodiscard]] bool looks_like_npy(const std::filesystem::path& path);

}  // namespace feedrate
